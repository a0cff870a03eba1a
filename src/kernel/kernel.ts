// What is the door to the machine?
import type { Family } from "../net/family.ts";
import { pagedList } from "../paged-list.ts";
import type { Plan, Step } from "../plan/plan.ts";
import { parseTables } from "../state/iptables-parse.ts";
import type { KernelState, Sysctl } from "../state/kernel-state.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import type { FlowSearch, UdpFlow } from "../state/udp-flow.ts";
import { type Applied, applyPlan, type OnRule, type Progress } from "./apply.ts";
import type { RunCommand } from "./command.ts";
import { deleteFlows, type FoundFlows, listUdpFlows } from "./conntrack.ts";
import { GenerationWatch } from "./generation.ts";
import { restoreTables, saveText } from "./iptables.ts";
import { type IpvsAccess, MACHINE } from "./ipvs.ts";
import { type IpvsLook, type ObservedIpvs, observeIpvs } from "./ipvs-observe.ts";
import { ALL_WELL, carryOutIpvs, type StepOutcome } from "./ipvs-step.ts";
import { ensureCounter, observeCounters } from "./nfacct.ts";
import { readAddresses, readNodeFacts } from "./node-facts.ts";
import { unlessRefused } from "./refused.ts";
import { SaveWatch } from "./save-watch.ts";
import { observeSysctls, writeSysctl } from "./sysctl.ts";

/** What to look at beside the tables, which are always looked at whole. */
export interface Look {
  /** Paths of kernel settings. */
  readonly sysctls: readonly string[];
  /** Names of nfacct counters. */
  readonly counters: readonly string[];
  /** In a mode that has any of it. */
  readonly ipvs?: IpvsLook;
  /** Nobody waits for the answer: other processes go first. */
  readonly unhurried?: boolean;
}

/** The only door to the machine. Every method throws KernelError, or rejects with it, when the kernel says no. */
export interface Kernel {
  facts(): Promise<NodeFacts>;
  /** The one fact that is looked at again and again: all, or without those that IPVS mode itself has put there. */
  addresses(of: "all" | "node"): Promise<NodeFacts["addresses"]>;
  observe(family: Family, look: Look): Promise<KernelState>;
  /** What a family has of IPVS mode, without a look at anything else; a kernel without IPVS has no servers. */
  ipvs(family: Family, look: IpvsLook): Promise<ObservedIpvs>;
  /** Carries the steps out in order; `progressed` is called now and then. */
  apply(plan: Plan, progressed?: (progress: Progress) => void): Promise<Applied>;
  /** Did somebody else change rules since this family was last told so? True where the kernel does not tell. */
  moved(family: Family): Promise<boolean>;
  /**
   * Do the tables read as when they were last looked at unhurried, with nothing of ours sent since? To find out costs a
   * save, but nobody goes through it. False where that is not known.
   */
  readsTheSame(family: Family): Promise<boolean>;
  /** The settings at these paths that can be read, without a look at anything else. */
  sysctls(paths: readonly string[]): Promise<readonly Sysctl[]>;
  /** UDP flows of a family: all, or those to these destinations. */
  flows(family: Family, searches: "all" | readonly FlowSearch[]): Promise<FoundFlows>;
  /** Deletes exactly these entries, and gives how many were still there. */
  deleteFlows(flows: readonly UdpFlow[]): Promise<number>;
}

/**
 * The machine that this process runs on, through programs started by `run`. What IPVS mode has beside tables is spoken
 * of through `access`.
 */
export function machine(run: RunCommand, access: IpvsAccess = MACHINE): Kernel {
  const watch = new GenerationWatch();
  const saves = new SaveWatch();
  return {
    facts: () => readNodeFacts(run),
    addresses: readAddresses,
    observe: async (family, { sysctls, counters, ipvs, unhurried }) => {
      // Whatever moved up to now is seen by this look, and no reason for another.
      await watch.moved(family);
      const text = await saveText(run, family, unhurried);
      if (unhurried) saves.saw(family, text);
      return {
        family,
        observed: true,
        tables: parseTables(text),
        fragments: pagedList(),
        sysctls: await observeSysctls(sysctls),
        counters: counters.length === 0 ? [] : await observeCounters(counters),
        ...(ipvs && { ipvs: await observeIpvs(family, ipvs, access) }),
      };
    },
    ipvs: (family, look) => observeIpvs(family, { ...look, optional: true }, access),
    apply: (plan, progressed) =>
      applyPlan(plan, (step, onRule) => carryOut({ run, watch, saves, access }, step, onRule), progressed),
    moved: (family) => watch.moved(family),
    readsTheSame: async (family) => {
      if (!saves.knows(family)) return false;
      const text = await unlessRefused(saveText(run, family, true), undefined);
      return text !== undefined && saves.isSame(family, text);
    },
    sysctls: observeSysctls,
    flows: listUdpFlows,
    deleteFlows,
  };
}

interface Ways {
  readonly run: RunCommand;
  readonly watch: GenerationWatch;
  readonly saves: SaveWatch;
  readonly access: IpvsAccess;
}

async function carryOut({ run, watch, saves, access }: Ways, step: Step, onRule: OnRule): Promise<StepOutcome> {
  switch (step.kind) {
    case "sysctl":
      await writeSysctl(step.path, step.value);
      return ALL_WELL;
    case "counter":
      await ensureCounter(step.name);
      return ALL_WELL;
    case "iptables":
      saves.ours(step.family);
      await watch.ours(step.changes.length, () => restoreTables(run, step.family, step.changes, onRule));
      return ALL_WELL;
    default:
      return carryOutIpvs(step, access);
  }
}
