// Probes whether this kernel can do what IPVS mode needs.
import { setTimeout as sleep } from "node:timers/promises";
import { KernelError } from "../errors.ts";
import { SET_TYPES, type SetType } from "../state/ip-set.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import type { RunCommand } from "./command.ts";
import { readSetSupport } from "./ipset.ts";
import { hasIpvs, type IpvsAccess } from "./ipvs.ts";
import { tryScheduler } from "./ipvs-trial.ts";
import { ensureDevice } from "./link.ts";
import type { Converse } from "./netlink.ts";
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

/** How the kernel is asked: programs are run, and netlink is spoken, to another kernel only where a test is one. */
export interface SupportAccess {
  readonly run: RunCommand;
  readonly ipvs?: IpvsAccess;
}

/**
 * Tries all of it, which has the kernel load its modules; of the trials only the interface stays, where all else is
 * usable. Rejects with KernelError for what is no lack of the kernel's: rights above all.
 */
export async function ipvsSupport(access: SupportAccess, scheduler: string): Promise<IpvsSupport> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await findSupport(access, scheduler);
    } catch (error) {
      if (!(error instanceof KernelError && PASSING.has(error.refusal.code)) || attempt === ATTEMPTS) throw error;
      await sleep(PAUSE);
    }
  }
}

async function findSupport({ run, ipvs }: SupportAccess, scheduler: string): Promise<IpvsSupport> {
  if (!(await hasFamily(run, ipvs))) {
    if (!SCHEDULERS.has(scheduler)) throw unknownScheduler(scheduler);
    return missing("FamilyMissing", "the kernel has no IPVS");
  }
  const refusal = await tryScheduler(scheduler, ipvs);
  if (refusal) {
    if (refusal.refusal.code !== "ENOENT" || scheduler === "rr") throw refusal;
    if (!SCHEDULERS.has(scheduler)) throw unknownScheduler(scheduler);
    return missing("SchedulerMissing", `the kernel has no scheduler ${scheduler}`);
  }
  const sets = await setTrouble(SET_TYPES, ipvs?.converse);
  if (sets !== undefined) return missing("IPSetMissing", sets);
  return (await hasDevice(ipvs?.converse))
    ? { kind: "usable" }
    : missing("DummyMissing", "the kernel has no interfaces of type dummy");
}

/** Linux has these as modules `ip_vs_NAME`, and a kernel may be built without some. Any other name is most likely a typo. */
const SCHEDULERS: ReadonlySet<string> = new Set("dh fo lblc lblcr lc mh nq ovf rr sed sh twos wlc wrr".split(" "));

function unknownScheduler(scheduler: string): KernelError {
  const words = `unknown scheduler; Linux has ${[...SCHEDULERS].join(", ")}`;
  return new KernelError({ step: "ipvs scheduler", target: scheduler, code: "ENOENT", words });
}

function missing(part: MissingPart, words: string): IpvsSupport {
  return { kind: "missing", part, words };
}

/** Kernels before 5.16 do not load the module by themselves. */
async function hasFamily(run: RunCommand, ipvs?: IpvsAccess): Promise<boolean> {
  if (await hasIpvs(ipvs)) return true;
  await unlessRefused(run({ program: "modprobe", args: ["-va", "ip_vs"] }), "");
  return hasIpvs(ipvs);
}

/** Why sets of these types are of no use here; undefined where all are there. Rejects with KernelError. */
export async function setTrouble(needed: readonly SetType[], converse?: Converse): Promise<string | undefined> {
  try {
    const { protocol, missing: all } = await readSetSupport(converse);
    const types = all.filter((type) => needed.includes(type));
    if (protocol < SET_PROTOCOL) return `the kernel speaks version ${protocol} of ipset's language only`;
    return types.length === 0 ? undefined : `the kernel has no sets of type ${types.join(" ")}`;
  } catch (error) {
    if (error instanceof KernelError && ABSENT.has(error.refusal.code)) return "the kernel has no ipset";
    throw error;
  }
}

async function hasDevice(converse?: Converse): Promise<boolean> {
  try {
    await ensureDevice({ name: IPVS_DEVICE, kind: "dummy" }, converse);
    return true;
  } catch (error) {
    if (error instanceof KernelError && ABSENT.has(error.refusal.code)) return false;
    throw error;
  }
}

/** How the kernel says that it does not know what it is asked for; netlink of a subsystem that is not there: EINVAL. */
const ABSENT: ReadonlySet<string> = new Set(["EOPNOTSUPP", "ENOTSUP", "EINVAL", "ENOENT"]);
