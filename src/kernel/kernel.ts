// The kernel client: all access to iptables, IPVS, conntrack and sysctls of this machine.
import type { Family } from "../net/family.ts";
import { pagedList } from "../paged-list.ts";
import type { Plan, Step } from "../plan/plan.ts";
import type { Chains, KernelState, Sysctl, TableName } from "../state/kernel-state.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import type { FlowSearch, UdpFlow } from "../state/udp-flow.ts";
import { type Applied, applyPlan, type OnRule, type Progress } from "./apply.ts";
import type { RunCommand } from "./command.ts";
import { deleteFlows, type FoundFlows, listUdpFlows } from "./conntrack.ts";
import { GenerationWatch } from "./generation.ts";
import { type ReadTables, readTables, restoreTables } from "./iptables.ts";
import { type IpvsAccess, MACHINE, ServerReader } from "./ipvs.ts";
import { IpvsWatch, ipvsFingerprint, readModuleUsers } from "./ipvs-fingerprint.ts";
import { type IpvsLook, type ObservedIpvs, observeIpvs } from "./ipvs-observe.ts";
import { ALL_WELL, carryOutIpvs, type StepOutcome } from "./ipvs-step.ts";
import { ensureCounter, observeCounters } from "./nfacct.ts";
import { digestOfChains } from "./nft-tables.ts";
import { readAddresses, readNodeFacts } from "./node-facts.ts";
import { SaveWatch } from "./save-watch.ts";
import { observeSysctls, writeSysctl } from "./sysctl.ts";

/** What to look at beside the tables, which are always looked at whole. */
export interface Look {
  /** Paths of kernel settings. */
  readonly sysctls: readonly string[];
  /** Names of nfacct counters. */
  readonly counters: readonly string[];
  /**
   * Our fixed chains and jumps by table: with them a table that iptables cannot print is no error, but in
   * `KernelState.unreadable`. Fixed chains that are missing from such a table are created.
   */
  readonly expected?: ReadonlyMap<TableName, Chains>;
  /** In a mode that has any of it. */
  readonly ipvs?: IpvsLook;
}

/** The only door to the machine. Every method throws KernelError, or rejects with it, when the kernel says no. */
export interface Kernel {
  facts(): Promise<NodeFacts>;
  /** The one fact that is looked at again and again: all, or without those that IPVS mode itself has put there. */
  addresses(of: "all" | "node"): Promise<NodeFacts["addresses"]>;
  observe(family: Family, look: Look): Promise<KernelState>;
  /**
   * Observes at low priority, also while changes are applied. Undefined where the rules read as at the previous call and
   * `apply` changed none of them since: then they are not parsed again. IPVS state is always read.
   */
  observeInBackground(family: Family, look: Look): Promise<KernelState | undefined>;
  /** What a family has of IPVS mode, without a look at anything else; a kernel without IPVS has no servers. */
  ipvs(family: Family, look: IpvsLook): Promise<ObservedIpvs>;
  /** Carries the steps out in order; `progressed` is called now and then. */
  apply(plan: Plan, progressed?: (progress: Progress) => void): Promise<Applied>;
  /**
   * Whether other software may have changed our tables of nf_tables since the last observation or call for this family.
   * True where the kernel does not tell.
   */
  moved(family: Family): Promise<boolean>;
  /**
   * Whether a chain of ours in nf_tables was created, deleted, or has another number of rules or references than at the
   * last `observeInBackground`; true where that is not known. Misses a rule that another one replaced.
   */
  chainsMoved(family: Family): Promise<boolean>;
  /** Did other software change sets, virtual servers or the interface of IPVS mode since this was asked last? */
  ipvsMoved(): Promise<boolean>;
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
  const chains = new Map<Family, string | undefined>();
  const own = access === MACHINE ? { ...access, moduleUsers: readModuleUsers } : access;
  const ipvs = new IpvsWatch(() => ipvsFingerprint(own));
  const servers = new ServerReader(access);
  const observe = (family: Family, look: IpvsLook) => observeIpvs(family, look, access, servers);
  return {
    facts: () => readNodeFacts(run),
    addresses: readAddresses,
    observe: async (family, look) => {
      // This observation covers all earlier changes.
      await watch.moved(family);
      saves.drop(family);
      const read = await readTables({ run, family, expected: look.expected });
      return stateOf(family, read, look, observe);
    },
    observeInBackground: async (family, look) => {
      await watch.moved(family);
      const drops = saves.drops(family);
      if (!look.ipvs) chains.set(family, await digestOfChains(family));
      let saved = "";
      const isKnown = (text: string) => {
        saved = text;
        return !look.ipvs && saves.isSame(family, text);
      };
      const read = await readTables({ run, family, unhurried: true, expected: look.expected, isKnown });
      if (!read) return undefined;
      if (saves.drops(family) === drops && !read.unreadable) saves.remember(family, saved);
      else chains.delete(family);
      return stateOf(family, read, look, observe);
    },
    ipvs: (family, look) => observe(family, { ...look, optional: true }),
    apply: (plan, progressed) =>
      applyPlan(
        plan,
        (step, onRule) => carryOut({ run, watch, saves, chains, access, servers, ipvs }, step, onRule),
        progressed,
      ),
    moved: (family) => watch.moved(family),
    chainsMoved: async (family) => {
      const before = chains.get(family);
      return before === undefined || before !== (await digestOfChains(family));
    },
    ipvsMoved: () => ipvs.moved(),
    sysctls: observeSysctls,
    flows: listUdpFlows,
    deleteFlows,
  };
}

async function stateOf(
  family: Family,
  { tables, unreadable }: ReadTables,
  { sysctls, counters, ipvs }: Look,
  observeIpvs: (family: Family, look: IpvsLook) => Promise<ObservedIpvs>,
): Promise<KernelState> {
  return {
    family,
    observed: true,
    tables,
    ...(unreadable && { unreadable }),
    fragments: pagedList(),
    sysctls: await observeSysctls(sysctls),
    counters: counters.length === 0 ? [] : await observeCounters(counters),
    ...(ipvs && { ipvs: await observeIpvs(family, ipvs) }),
  };
}

interface Ways {
  readonly run: RunCommand;
  readonly watch: GenerationWatch;
  readonly saves: SaveWatch;
  readonly chains: Map<Family, string | undefined>;
  readonly access: IpvsAccess;
  readonly servers: ServerReader;
  readonly ipvs: IpvsWatch;
}

async function carryOut(
  { run, watch, saves, chains, access, servers, ipvs }: Ways,
  step: Step,
  onRule: OnRule,
): Promise<StepOutcome> {
  switch (step.kind) {
    case "sysctl":
      await writeSysctl(step.path, step.value);
      return ALL_WELL;
    case "counter":
      await ensureCounter(step.name);
      return ALL_WELL;
    case "iptables":
      saves.drop(step.family);
      chains.delete(step.family);
      try {
        await watch.ours(step.changes.length, () => restoreTables(run, step.family, step.changes, onRule));
      } finally {
        saves.drop(step.family);
      }
      return ALL_WELL;
    default:
      try {
        return await ipvs.ours(step, () => carryOutIpvs(step, access));
      } finally {
        servers.invalidate();
      }
  }
}
