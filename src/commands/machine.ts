// Opens this machine for a command: its kernel, its iptables programs, and what it supports.
import { InputError } from "../errors.ts";
import { type RunCommand, runCommand } from "../kernel/command.ts";
import { findClashes } from "../kernel/ipset.ts";
import { chooseTools, type Tools, throughTools } from "../kernel/iptables-variant.ts";
import { type IpvsSupport, ipvsSupport, setMatchTrouble, setTrouble } from "../kernel/ipvs-support.ts";
import { type Kernel, machine } from "../kernel/kernel.ts";
import { whyUnusable } from "../kernel/node-facts.ts";
import type { Family } from "../net/family.ts";
import type { GivenFacts } from "../options/node-facts.ts";
import type { SetHeader } from "../state/ip-set.ts";

export interface Machine {
  /** The iptables programs that are run, and why these. */
  readonly tools: Tools;
  readonly kernel: Kernel;
  /** Why rules of a family cannot be written here, in the words of its tool. */
  readonly whyUnusable: (family: Family) => Promise<string>;
  /** Can IPVS mode run here, with this scheduler? */
  readonly ipvsSupport: (scheduler: string) => Promise<IpvsSupport>;
  /** Why rules of this family cannot match these sets; undefined where they can. */
  readonly setTrouble: (family: Family, sets: readonly SetHeader[]) => Promise<string | undefined>;
}

/**
 * The machine that this process runs on. The iptables programs are chosen once. Facts that are given replace those of
 * the machine. Rejects with KernelError where a variant of iptables is given that is not on the PATH.
 */
export async function openMachine(known: GivenFacts, runTool: RunCommand = runCommand): Promise<Machine> {
  const forced = { IPv4: known.iptablesVariant, IPv6: known.ip6tablesVariant };
  const tools = await chooseTools(runTool, { forced });
  const run = throughTools(runTool, tools);
  const kernel = machine(run);
  const { addresses } = known;
  return {
    tools,
    kernel: {
      ...kernel,
      facts: async () => ({ ...(await kernel.facts()), ...known }),
      ...(addresses && { addresses: async () => addresses }),
    },
    whyUnusable: (family) => whyUnusable(run, family),
    ipvsSupport: (scheduler) => ipvsSupport({ run }, scheduler),
    setTrouble: (family, sets) => whyWithoutSets(run, family, sets),
  };
}

async function whyWithoutSets(
  run: RunCommand,
  family: Family,
  sets: readonly SetHeader[],
): Promise<string | undefined> {
  const trouble = await setTrouble(sets.map(({ type }) => type));
  if (trouble !== undefined) return trouble;
  const [clash] = await findClashes(sets);
  if (clash) return `an ipset exists with another type or options, ${clash}; run "fairlead cleanup" to remove it`;
  return setMatchTrouble(run, family);
}

/** Did the kernel or its tools refuse for lack of rights? */
export function isPermission(why: string): boolean {
  return /permission denied|not permitted|must be root|\bEPERM\b|\bEACCES\b/i.test(why);
}

/**
 * Why this node's rules cannot be read or changed, from the words of a KernelError, with what to do. `remedy` is what
 * else helps, such as `or pass a dump with --from FILE`.
 */
export function ruleAccessError(action: "read" | "change", why: string, remedy: string): InputError {
  const cannot = `cannot ${action} this node's rules`;
  if (isPermission(why))
    return new InputError({}, `${cannot}: permission denied; run as root${remedy && `, ${remedy}`}`);
  if (/\bENOENT\b/.test(why)) {
    const install = "install iptables, or add its directory (usually /usr/sbin) to PATH";
    return new InputError({}, `${cannot}: no iptables found on the PATH; ${install}${remedy && `, ${remedy}`}`);
  }
  return new InputError({}, `${cannot}: ${why}${remedy && `; repair this, ${remedy}`}`);
}
