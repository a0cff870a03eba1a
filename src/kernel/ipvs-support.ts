// Probes whether this kernel and its iptables can do what IPVS mode and the Indexed layout need.
import { setTimeout as sleep } from "node:timers/promises";
import { KernelError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import { SET_TYPES, type SetHeader, type SetType } from "../state/ip-set.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import type { RunCommand } from "./command.ts";
import { changeSets, readSetSupport } from "./ipset.ts";
import { restoreTables, withRemedy } from "./iptables.ts";
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

/** A chain that no rule leads to; a daemon that was killed during the trial leaves it to the next sync to remove. */
const TRIAL_CHAIN = "KUBE-IX-TRIAL";

/** Times that the set of a trial is destroyed: iptables-nft releases the set of a removed rule a moment later. */
const DESTROY_ATTEMPTS = 50;
const DESTROY_PAUSE = 20;

/**
 * Why iptables of this family cannot match a set; undefined where it can, or where it cannot write any rule now. Tried
 * with a rule, since only that shows a missing CAP_NET_RAW, extension or kernel module: `iptables-restore --test` sends
 * nothing to the kernel. The rule is in a chain of ours that no packet reaches; chain and set are removed again.
 */
export async function setMatchTrouble(run: RunCommand, family: Family): Promise<string | undefined> {
  const ip = family === "IPv4" ? "inet" : "inet6";
  const set: SetHeader = { name: `${TRIAL_CHAIN}-${ip}`, type: "hash:ip,port", family: ip };
  const rule = `-A ${TRIAL_CHAIN} -m set --match-set ${set.name} dst,dst -j RETURN`;
  const write = async (rules: readonly string[], remove: readonly string[] = []): Promise<string | undefined> => {
    try {
      await restoreTables(run, family, [{ table: "filter", clear: [TRIAL_CHAIN], rules, remove }]);
      return undefined;
    } catch (error) {
      if (error instanceof KernelError) return error.refusal.words;
      throw error;
    }
  };
  await destroySet(set.name);
  const [[refused] = []] = await changeSets([{ kind: "create", set }]);
  if (refused) return refused.message;
  const words = await write([rule]);
  const control = words === undefined ? undefined : await write([]);
  await write([], [TRIAL_CHAIN]);
  await destroySet(set.name);
  if (words === undefined || control !== undefined) return undefined;
  return withRemedy(`iptables cannot match an ipset: ${words}`);
}

/** Nothing where there is no such set. */
async function destroySet(name: string): Promise<void> {
  for (let attempt = 1; attempt <= DESTROY_ATTEMPTS; attempt++) {
    const [[refused] = []] = await changeSets([{ kind: "destroy", name }]);
    if (refused?.refusal.code !== "EBUSY") return;
    await sleep(DESTROY_PAUSE);
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
