// Which rules of a state has one ServicePort to do with?
import { isIndexed } from "../state/index-tree.ts";
import { indexRulesOf } from "../state/index-way.ts";
import type { Chain, Chains, Fragment, KernelState, Rule, TableName } from "../state/kernel-state.ts";
import { type RuleText, readRule } from "./rule-text.ts";

/** The target that marks packets for masquerade. It is drawn as what it does, not as a chain. */
export const MARK_CHAIN = "KUBE-MARK-MASQ";

/** A chain with those of its rules that a picture of the ServicePort shows. */
export interface DrawnChain {
  /** Unique among all tables. */
  readonly id: string;
  readonly table: TableName;
  readonly name: string;
  readonly hook: boolean;
  readonly rules: readonly RuleText[];
  /** What else is to be said of it. */
  readonly notes: readonly string[];
}

/** Entries of the ServicePort by set. */
export type EntriesOfSets = ReadonlyMap<string, readonly string[]>;

interface Candidate {
  readonly text: RuleText;
  /** It is about this ServicePort and not about all. */
  readonly concerned: boolean;
}

interface Candidates extends Omit<DrawnChain, "rules"> {
  readonly rules: readonly Candidate[];
}

/** Name of a chain among those of all tables. */
export function chainId(table: TableName, name: string): string {
  return `${table} ${name}`;
}

/** What the ServicePort has in sets; empty in a mode without them. */
export function entriesOf(fragment: Fragment): EntriesOfSets {
  const entries = new Map<string, string[]>();
  for (const { set, entry } of fragment.ipvs()?.entries ?? []) {
    const known = entries.get(set);
    if (known) known.push(entry);
    else entries.set(set, [entry]);
  }
  return entries;
}

/**
 * The chains, those of nat and hooks first, that packets to the ServicePort meet on account of it: with the rules that are its own or
 * ask for a set it is in, with all rules of chains that only those lead to, and with the jumps to all these.
 */
export function chainsOf(state: KernelState, fragment: Fragment): readonly DrawnChain[] {
  const tables = [...state.tables].sort(([a], [b]) => Number(b === "nat") - Number(a === "nat"));
  const all = tables.flatMap((each) => candidatesOf(state, fragment, each));
  const byId = new Map(all.map((chain) => [chain.id, chain]));
  const whole = wholeChains(byId);
  const drawn = new Map<string, DrawnChain>();
  const rulesOf = ({ id, table, rules }: Candidates) =>
    rules.filter(({ text: { target }, concerned }) => {
      return concerned || whole.has(id) || (target !== undefined && draw(chainId(table, target)));
    });
  // Jumps never make a ring: the kernel takes none that do.
  const draw = (id: string): boolean => {
    const chain = byId.get(id);
    if (!chain || drawn.has(id)) return chain !== undefined;
    const rules = rulesOf(chain).map(({ text }) => text);
    if (rules.length > 0) drawn.set(id, { ...chain, rules });
    return rules.length > 0;
  };
  for (const { id } of all) draw(id);
  return all.flatMap(({ id }) => drawn.get(id) ?? []).sort((a, b) => Number(b.hook) - Number(a.hook));
}

/** Chains of one table in state order, without rules that ask for sets the ServicePort is not in. */
function candidatesOf(
  state: KernelState,
  fragment: Fragment,
  [table, chains]: readonly [TableName, Chains],
): readonly Candidates[] {
  const shares = fragment.shares(table);
  const reader = { table, candidate: candidateReader(fragment) };
  const shared = [...chains.values()].filter(({ name }) => name !== MARK_CHAIN);
  const read = shared.flatMap((chain) => {
    if (!isIndexed(chain)) return readChain(reader, chain, { own: shares.get(chain.name) ?? [] });
    const { root, below } = indexRulesOf(state, table, { chain, fragment });
    return [
      readChain(reader, chain, { own: root }),
      ...below.map(({ chain: { name, hold, rules }, passed }) => {
        const notes = passed.map((each) => `behind ${each}`);
        return readChain(reader, { name, hold, rules: [] }, { own: rules, notes });
      }),
    ];
  });
  const own = fragment.chains(table).map(({ name, hold, rules }) => {
    return readChain(reader, { name, hold, rules: [] }, { own: rules });
  });
  return [...read, ...own];
}

interface Reader {
  readonly table: TableName;
  /** None for a rule that the ServicePort has nothing to do with. */
  readonly candidate: (rule: Rule, own: boolean) => readonly Candidate[];
}

function candidateReader(fragment: Fragment): Reader["candidate"] {
  const entries = entriesOf(fragment);
  const sorted = new Set(fragment.ipvs()?.rules.map(({ line }) => line));
  return ({ line }, own) => {
    const text = readRule(line);
    if (text.set && !entries.has(text.set.name)) return [];
    return [{ text, concerned: own || text.set !== undefined || sorted.has(line) }];
  };
}

/** The ServicePort's own rules stand between the first of a chain and the last. */
function readChain(
  { table, candidate }: Reader,
  { name, hold, rules, last = [] }: Chain,
  { own, notes = [] }: { readonly own: readonly Rule[]; readonly notes?: readonly string[] },
): Candidates {
  return {
    id: chainId(table, name),
    table,
    name,
    hook: hold === "built-in",
    notes,
    rules: [
      ...rules.flatMap((rule) => candidate(rule, false)),
      ...own.flatMap((rule) => candidate(rule, true)),
      ...last.flatMap((rule) => candidate(rule, false)),
    ],
  };
}

/** Chains that some rule of the ServicePort leads to, directly or not. */
function wholeChains(byId: ReadonlyMap<string, Candidates>): ReadonlySet<string> {
  const whole = new Set<string>();
  const enter = ({ id, table, rules }: Candidates) => {
    for (const { text, concerned } of rules) {
      const next = text.target === undefined ? undefined : byId.get(chainId(table, text.target));
      if (!next || whole.has(next.id) || !(concerned || whole.has(id))) continue;
      whole.add(next.id);
      enter(next);
    }
  };
  for (const chain of byId.values()) enter(chain);
  return whole;
}
