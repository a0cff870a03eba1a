// Can this kernel do what IPVS mode needs, and if not, why?
import { setTimeout as sleep } from "node:timers/promises";
import { KernelError } from "../errors.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import type { RunCommand } from "./command.ts";
import { readSetSupport } from "./ipset.ts";
import { hasIpvs } from "./ipvs.ts";
import { tryScheduler } from "./ipvs-trial.ts";
import { ensureDevice } from "./link.ts";
import { unlessRefused } from "./refused.ts";

/** Something is absent that no retry, right or setting will bring. */
export type MissingPart = "FamilyMissing" | "SchedulerMissing" | "IPSetMissing" | "DummyMissing";

export type IpvsSupport =
  | { readonly kind: "usable" }
  | { readonly kind: "missing"; readonly part: MissingPart; readonly words: string };

/** Oldest version of ipset's language that has what we ask for. */
const SET_PROTOCOL = 6;

/** Refusals that pass, and how long to wait for that, in milliseconds. */
const PASSING: ReadonlySet<string> = new Set(["ENOMEM", "EBUSY", "EINTR"]);
const ATTEMPTS = 3;
const PAUSE = 200;

/**
 * Tries all of it, which has the kernel load its modules; of the trials only the interface stays, where all else is
 * usable. Rejects with KernelError for what is no lack of the kernel's: rights above all.
 */
export async function ipvsSupport(run: RunCommand, scheduler: string): Promise<IpvsSupport> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await findSupport(run, scheduler);
    } catch (error) {
      if (!(error instanceof KernelError && PASSING.has(error.refusal.code)) || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE);
    }
  }
}

async function findSupport(run: RunCommand, scheduler: string): Promise<IpvsSupport> {
  if (!(await hasFamily(run))) return missing("FamilyMissing", "the kernel has no IPVS");
  const refusal = await tryScheduler(scheduler);
  if (refusal) {
    if (refusal.refusal.code !== "ENOENT" || scheduler === "rr") throw refusal;
    return missing("SchedulerMissing", `the kernel has no scheduler ${scheduler}`);
  }
  const sets = await setTrouble();
  if (sets !== undefined) return missing("IPSetMissing", sets);
  return (await hasDevice())
    ? { kind: "usable" }
    : missing("DummyMissing", "the kernel has no interfaces of type dummy");
}

function missing(part: MissingPart, words: string): IpvsSupport {
  return { kind: "missing", part, words };
}

/** Kernels before 5.16 do not load the module by themselves. */
async function hasFamily(run: RunCommand): Promise<boolean> {
  if (await hasIpvs()) return true;
  await unlessRefused(run({ program: "modprobe", args: ["-va", "ip_vs"] }), "");
  return hasIpvs();
}

async function setTrouble(): Promise<string | undefined> {
  try {
    const { protocol, missing: types } = await readSetSupport();
    if (protocol < SET_PROTOCOL) return `the kernel speaks version ${protocol} of ipset's language only`;
    return types.length === 0 ? undefined : `the kernel has no sets of type ${types.join(" ")}`;
  } catch (error) {
    if (error instanceof KernelError && ABSENT.has(error.refusal.code)) return "the kernel has no ipset";
    throw error;
  }
}

async function hasDevice(): Promise<boolean> {
  try {
    await ensureDevice({ name: IPVS_DEVICE, kind: "dummy" });
    return true;
  } catch (error) {
    if (error instanceof KernelError && ABSENT.has(error.refusal.code)) return false;
    throw error;
  }
}

/** How the kernel says that it does not know what it is asked for; netlink of a subsystem that is not there: EINVAL. */
const ABSENT: ReadonlySet<string> = new Set(["EOPNOTSUPP", "ENOTSUP", "EINVAL", "ENOENT"]);
