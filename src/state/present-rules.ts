// Reads back from the kernel what it holds of single ServicePorts, so that a ServicePort whose new rules were rejected
// keeps serving with the rules it has.
import { isIndexChain } from "./index-chain-name.ts";
import {
  type Chain,
  type Chains,
  type Fragment,
  type IpvsShare,
  type KernelState,
  type Rule,
  type Shares,
  TABLES,
  type TableName,
} from "./kernel-state.ts";
import { tailOf, targetOf } from "./rule.ts";

/** The chains of one ServicePort end in the same hash, in both layouts. */
const SERVICE_CHAIN = /^KUBE-(?:IX-)?(?:SVC|SVL|EXT|FW)-(.+)$/;

/** Chains that only chains of the same ServicePort lead to. */
const CHAIN_BELOW = /^KUBE-(?:SEP|IX-SEP|IX-SUB)-/;

/** kube-proxy's comments begin with the name of the ServicePort, `shop/cart:http cluster IP`. */
const COMMENT = / --comment "([^" ]+)/;

const ENDPOINT = / -p (?<protocol>\S+) .*--to-destination \[?(?<address>\S+?)\]?:(?<port>\d+)(?= |$)/;
const CLUSTER_IP = / -d (?<address>\S+)\/\d+ -p (?<protocol>\S+) .*--comment "\S+ cluster IP" .*--dport (?<port>\d+)/;

/**
 * What `observed` holds of these ServicePorts, by key: chains of their own, their rules in shared chains, and their set
 * entries, all as they are now. A ServicePort of which nothing is there is missing from the answer. `desired` says which
 * chains are shared and which of them are indexed; chains of another layout are found too.
 */
export function presentRules(
  observed: KernelState,
  desired: KernelState,
  fragments: readonly Fragment[],
): ReadonlyMap<string, Fragment> {
  const tables = TABLES.map((table) => new PresentTable(table, observed, desired));
  const found = new Map<string, Fragment>();
  for (const fragment of fragments) {
    const parts = new Map(tables.map((table) => [table.name, table.partOf(fragment)]));
    const all = [...parts.values()];
    if (all.every(({ chains, shares }) => chains.length === 0 && shares.size === 0)) continue;
    const rules = all.flatMap(({ chains, shares }) => [
      ...chains.flatMap((chain) => chain.rules),
      ...[...shares.values()].flat(),
    ]);
    const ipvs = presentEntries(observed, desired, rules);
    found.set(fragment.key, {
      key: fragment.key,
      size: all.reduce((sum, { chains }) => sum + chains.length, rules.length),
      chains: (table) => parts.get(table)?.chains ?? [],
      shares: (table) => parts.get(table)?.shares ?? new Map(),
      ipvs: () => ipvs,
    });
  }
  return found;
}

/** What one table holds of one ServicePort. */
interface PresentPart {
  readonly chains: readonly Chain[];
  readonly shares: Shares;
}

/** A rule in a shared chain; in an indexed one it may stand in a chain below, and is given as if it did not. */
interface SharedRule {
  readonly chain: string;
  readonly rule: Rule;
}

class PresentTable {
  readonly name: TableName;
  readonly #chains: Chains;
  readonly #shared: Chains;
  /** Rules in shared chains, by the ServicePort that their comment names. */
  readonly #byComment = new Map<string, SharedRule[]>();
  /** Names of chains by the hash they end in. */
  readonly #byHash = new Map<string, string[]>();

  constructor(name: TableName, observed: KernelState, desired: KernelState) {
    this.name = name;
    this.#chains = observed.tables.get(name) ?? new Map();
    this.#shared = desired.tables.get(name) ?? new Map();
    for (const chain of this.#chains.keys()) {
      const hash = SERVICE_CHAIN.exec(chain)?.[1];
      if (hash !== undefined) append(this.#byHash, hash, chain);
    }
    for (const { name: root, hold } of this.#shared.values()) if (hold === "ours") this.#readShared(root);
  }

  partOf(fragment: Fragment): PresentPart {
    const text = fragment.key.slice(0, fragment.key.lastIndexOf("/"));
    const shared = this.#byComment.get(text) ?? [];
    const shares = new Map<string, Rule[]>();
    for (const { chain, rule } of shared) append(shares, chain, rule);
    const named = [
      ...fragment.chains(this.name).map(({ name }) => name),
      ...shared.flatMap(({ rule }) => targetOf(rule.line) ?? []),
    ];
    const siblings = named.flatMap((name) => this.#byHash.get(SERVICE_CHAIN.exec(name)?.[1] ?? "") ?? []);
    return { chains: this.#withChainsBelow([...named, ...siblings]), shares };
  }

  /** The chains of these names that are there, and those of the same ServicePort that they lead to. */
  #withChainsBelow(names: readonly string[]): readonly Chain[] {
    const found = new Map<string, Chain>();
    const left = names.filter((name) => SERVICE_CHAIN.test(name) || CHAIN_BELOW.test(name));
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      const chain = this.#chains.get(name);
      if (!chain || found.has(name)) continue;
      found.set(name, { name, hold: "ours", rules: chain.rules });
      for (const { line } of chain.rules) {
        const target = targetOf(line);
        if (target !== undefined && CHAIN_BELOW.test(target)) left.push(target);
      }
    }
    return [...found.values()];
  }

  /** Notes the rules of a shared chain and of the index chains below it. */
  #readShared(root: string): void {
    const index = this.#shared.get(root)?.index;
    const seen = new Set([root]);
    for (const name of seen) {
      for (const { line } of this.#chains.get(name)?.rules ?? []) {
        const target = targetOf(line);
        if (target !== undefined && isIndexChain(target)) seen.add(target);
        const service = COMMENT.exec(line)?.[1];
        const rule = { line: `-A ${root}${tailOf(line)}` };
        if (service === undefined || (index && !hasKey(index.keyOf, rule))) continue;
        append(this.#byComment, service, { chain: root, rule });
      }
    }
  }
}

/** False for a rule of another layout that the index has no place for. */
function hasKey(keyOf: (rule: Rule) => string, rule: Rule): boolean {
  try {
    return keyOf(rule) !== "";
  } catch {
    return false;
  }
}

/** Set entries for the endpoints and cluster IPs that these rules name: the Indexed layout masquerades by them. */
function presentEntries(observed: KernelState, desired: KernelState, rules: readonly Rule[]): IpvsShare | undefined {
  if (!desired.ipvs || observed.ipvs?.kind !== "observed") return undefined;
  const ours = new Set(desired.ipvs.sets.map(({ name }) => name));
  const sets = observed.ipvs.sets.filter(({ name }) => ours.has(name));
  const texts = new Set<string>();
  for (const { line } of rules) {
    for (const end of [ENDPOINT.exec(line), CLUSTER_IP.exec(line)]) {
      if (!end?.groups) continue;
      const { address, protocol, port } = end.groups;
      texts.add(`${address},${protocol}:${port}`).add(`${address},${protocol}:${port},${address}`);
    }
  }
  const entries = sets.flatMap(({ name, entries }) =>
    [...texts].filter((text) => entries.has(text)).map((entry) => ({ set: name, entry })),
  );
  return { entries, servers: [], addresses: [], rules: [] };
}

function append<K, V>(lists: Map<K, V[]>, key: K, item: V): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
