// What would kube-proxy send for the same change?
import { changesBetween } from "../../src/paged-list.ts";
import type { TableChange } from "../../src/plan/plan.ts";
import type { Change } from "../../src/source/source.ts";
import type { KernelState, TableName } from "../../src/state/kernel-state.ts";
import { sharedChains } from "../../src/state/whole-tables.ts";
import { countLines, type RestoreInput, timeRestores } from "./bare-restore.ts";
import { BenchNode } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests, type Size } from "./cluster.ts";
import { loadNetwork } from "./loaded-network.ts";
import type { Stopwatch } from "./stopwatch.ts";

/** What one change takes by the tool alone. */
export interface KubeProxyCost {
  readonly milliseconds: number;
  readonly lines: number;
}

/** So many changes are sent however long they take. */
const FEW = 3;

/** Milliseconds: where a change takes longer, no more than a few of them tell enough. */
const SLOW = 500;

/** A network of its own with the chains of the whole cluster, in which each change is sent as kube-proxy would. */
export class KubeProxyNetwork {
  readonly #node: BenchNode;
  readonly #stopwatch: Stopwatch;
  #held: KernelState;
  #costs: KubeProxyCost[] = [];

  private constructor(node: BenchNode, stopwatch: Stopwatch, held: KernelState) {
    this.#node = node;
    this.#stopwatch = stopwatch;
    this.#held = held;
  }

  static async load(size: Size): Promise<KubeProxyNetwork> {
    const stopwatch = await loadNetwork({ size, layout: "Compat" });
    const node = await BenchNode.make("iptables", "Compat");
    return new KubeProxyNetwork(node, stopwatch, node.want(set(allManifests(size))));
  }

  /** Sends a change, unless there were a few since they were last taken and they are slow. */
  async apply(changes: readonly Change[]): Promise<void> {
    const before = this.#held;
    this.#held = this.#node.want(changes);
    if (this.#costs.length >= FEW && this.#costs.every(({ milliseconds }) => milliseconds > SLOW)) return;
    const input = partialSync(this.#held, before);
    this.#costs.push({ milliseconds: await timeRestores(this.#stopwatch, [input]), lines: countLines(input) });
  }

  /** What changes took, since it was last asked. */
  take(): readonly KubeProxyCost[] {
    const costs = this.#costs;
    this.#costs = [];
    return costs;
  }

  end(): void {
    this.#stopwatch.end();
  }
}

const TABLES: readonly TableName[] = ["filter", "nat"];

/**
 * A partial sync of kube-proxy: the fixed chains with the rules of all Services, and the chains of those Services that
 * changed, whole. Stale chains go in the same restore.
 */
function partialSync(after: KernelState, before: KernelState): RestoreInput {
  const { come, gone } = changesBetween(after.fragments, before.fragments);
  return TABLES.map((table): TableChange => {
    const shared = [...sharedChains(after, table).values()].filter(({ hold }) => hold === "ours");
    const chains = [...shared, ...come.flatMap((fragment) => fragment.chains(table))];
    const names = new Set(chains.map(({ name }) => name));
    const old = gone.flatMap((fragment) => fragment.chains(table).map(({ name }) => name));
    const remove = old.filter((name) => !names.has(name));
    const rules = chains.flatMap((chain) => chain.rules.map(({ line }) => line));
    return { table, clear: [...names, ...remove].sort(), rules, remove };
  });
}
