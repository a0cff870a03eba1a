// Can the kernel run this scheduler? Nothing tells but a trial, which also has the kernel load its module.
import type { KernelError } from "../errors.ts";
import { FAMILIES } from "../net/family.ts";
import type { ServerSettings } from "../state/server-change.ts";
import { changeServers, type IpvsAccess, readServers } from "./ipvs.ts";

/** A documentation address that no Service has. The same one as kube-proxy takes. */
const TRIAL = { address: "198.51.100.0", protocol: "TCP", port: 20_000, schedulerFlags: 0, persistence: 0 } as const;

/**
 * Undefined where it can; else the refusal, with code ENOENT where there is no such scheduler. Where a virtual server
 * runs by it already there is no trial. Rejects with KernelError when there is no IPVS, or the trial cannot be ended.
 */
export async function tryScheduler(scheduler: string, access?: IpvsAccess): Promise<KernelError | undefined> {
  for (const family of FAMILIES) {
    if ((await readServers(family, access)).some((server) => server.scheduler === scheduler)) return undefined;
  }
  const server: ServerSettings = { ...TRIAL, scheduler };
  const [refusal] = await changeServers([{ kind: "add-server", server }], access);
  const [left] = await changeServers([{ kind: "remove-server", server }], access);
  if (left !== undefined) throw left;
  return refusal;
}
