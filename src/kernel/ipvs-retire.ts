// Removes real servers without breaking a connection.
import { KernelError } from "../errors.ts";
import { realKey } from "../state/ipvs-claims.ts";
import type { Retirement, ServerChange } from "../state/server-change.ts";
import { printIdentity, type ServerIdentity } from "../state/virtual-server.ts";
import { changeServers, type IpvsAccess, MACHINE, readRealServers } from "./ipvs.ts";
import { readProcServers } from "./ipvs-proc.ts";

/** So many virtual servers are asked one by one; for more, all are read once. */
const FEW = 8;

/** What became of real servers that were to go. */
export interface Retired {
  /** Still there: they have connections, or could not be looked at. */
  readonly draining: readonly Retirement[];
  /** One for each of those asked for: why nothing could be done. */
  readonly refusals: readonly (KernelError | undefined)[];
}

/**
 * Takes their weight away first, so that no connection can come between the look and the removal, and removes those
 * that have none. Rejects with KernelError as `changeServers` does.
 */
export async function retireServers(reals: readonly Retirement[], access: IpvsAccess = MACHINE): Promise<Retired> {
  const refusals = await changeServers(
    reals.map(({ server, real }) => ({ kind: "set-real", server, real: { ...real, weight: 0 } })),
    access,
  );
  const quiet = reals.filter((_, index) => refusals[index] === undefined);
  const busy = await busyServers(quiet, access);
  const idle = quiet.filter(({ server, real }) => busy !== undefined && !busy.has(realKey(server, real)));
  const left = await changeServers(
    idle.map((each): ServerChange => ({ kind: "remove-real", ...each })),
    access,
  );
  const gone = new Set(idle.filter((_, index) => left[index] === undefined));
  return { draining: quiet.filter((each) => !gone.has(each)), refusals };
}

/** Keys of those that have connections; undefined where the kernel does not say, so that all count as busy. */
async function busyServers(reals: readonly Retirement[], access: IpvsAccess): Promise<ReadonlySet<string> | undefined> {
  const servers = new Map(reals.map(({ server }) => [printIdentity(server), server]));
  try {
    return servers.size > FEW ? await busyInProc(access) : await busyBehind([...servers.values()], access);
  } catch (error) {
    if (error instanceof KernelError) return undefined;
    throw error;
  }
}

async function busyBehind(servers: readonly ServerIdentity[], access: IpvsAccess): Promise<ReadonlySet<string>> {
  const busy = new Set<string>();
  for (const server of servers) {
    for (const real of await readRealServers(server, access)) if (isBusy(real)) busy.add(realKey(server, real));
  }
  return busy;
}

async function busyInProc({ readProc }: IpvsAccess): Promise<ReadonlySet<string>> {
  const servers = await readProcServers(readProc());
  return new Set(servers.flatMap((server) => server.realServers.filter(isBusy).map((real) => realKey(server, real))));
}

function isBusy(real: { readonly activeConnections: number; readonly inactiveConnections: number }): boolean {
  return real.activeConnections + real.inactiveConnections > 0;
}
