// The kernel client of commands, with the iptables variant that this node uses.
import { runCommand } from "../kernel/command.ts";
import { findClashes } from "../kernel/ipset.ts";
import { detectTools, throughTools } from "../kernel/iptables-variant.ts";
import { type IpvsSupport, ipvsSupport, setTrouble } from "../kernel/ipvs-support.ts";
import { type Kernel, machine } from "../kernel/kernel.ts";
import { whyUnusable } from "../kernel/node-facts.ts";
import type { Family } from "../net/family.ts";
import type { GivenFacts } from "../options/node-facts.ts";
import type { SetHeader } from "../state/ip-set.ts";

export interface Machine {
  readonly kernel: Kernel;
  /** Why rules of a family cannot be written here, in the words of its tool. */
  readonly whyUnusable: (family: Family) => Promise<string>;
  /** Can IPVS mode run here, with this scheduler? */
  readonly ipvsSupport: (scheduler: string) => Promise<IpvsSupport>;
  /** Why these sets cannot be had here; undefined where they can. */
  readonly setTrouble: (sets: readonly SetHeader[]) => Promise<string | undefined>;
}

/**
 * The machine that this process runs on. Which variant of iptables is this node's is found out once, and holds for as
 * long as the answer is used. What is known goes before what the machine says, each time it is asked.
 */
export async function openMachine(known: GivenFacts): Promise<Machine> {
  const run = throughTools(runCommand, await detectTools(runCommand, { known: known.iptablesVariant }));
  const kernel = machine(run);
  const { addresses } = known;
  return {
    kernel: {
      ...kernel,
      facts: async () => ({ ...(await kernel.facts()), ...known }),
      ...(addresses && { addresses: async () => addresses }),
    },
    whyUnusable: (family) => whyUnusable(run, family),
    ipvsSupport: (scheduler) => ipvsSupport({ run }, scheduler),
    setTrouble: whyWithoutSets,
  };
}

async function whyWithoutSets(sets: readonly SetHeader[]): Promise<string | undefined> {
  const trouble = await setTrouble(sets.map(({ type }) => type));
  if (trouble !== undefined) return trouble;
  const [clash] = await findClashes(sets);
  return clash && `an ipset exists with another type or options, ${clash}; run "fairlead cleanup" to remove it`;
}
