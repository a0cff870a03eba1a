// Compares one table line by line.
import type { Chain, Rule } from "../state/kernel-state.ts";
import { chainOf } from "../state/rule.ts";
import { type Difference, type Edit, type Line, printPlace } from "./difference.ts";
import { editsBetween } from "./edits.ts";
import type { FragmentWrite } from "./own-difference.ts";
import { type Owners, ownerOf, ownersIn } from "./owners.ts";
import type { KeptChain } from "./plan.ts";
import type { TablePair } from "./table-pair.ts";
import { diffTable, isDifferent, type TableDifference } from "./tables.ts";

export interface TableComparison {
  /** By name of the chain. */
  readonly differences: readonly Difference[];
  readonly kept: readonly KeptChain[];
}

/** Compares what is wanted with what was observed: exactly what a plan would change, as the lines before and after. */
export function compareTable(pair: TablePair): TableComparison {
  const difference = diffTable(pair);
  if (!isDifferent(difference)) return { differences: [], kept: difference.kept };
  const view = { pair, owners: ownersIn(pair.table, pair.wanted, pair.actual) };
  const differences = [
    ...builtInDifferences(view, difference),
    ...[...difference.whole, ...difference.index].map((chain) => differenceOf(view, chain)),
    ...difference.own.flatMap((write) => ownDifferences(view, write)),
    ...difference.emptied.map((name) => differenceOf(view, { name, rules: [] })),
    ...difference.remove.map((name): Difference => ({ ...differenceOf(view, { name, rules: [] }), change: "gone" })),
  ];
  return { differences: differences.sort(byName), kept: difference.kept };
}

interface View {
  readonly pair: TablePair;
  readonly owners: Owners;
}

function ownDifferences(view: View, { fragment, chains, edits }: FragmentWrite): readonly Difference[] {
  const all = fragment.chains(view.pair.table);
  const written = all.filter(({ name }) => chains === "all" || chains.includes(name) || edits.has(name));
  return written.map((chain) => differenceOf(view, chain, ownerOf(fragment)));
}

function differenceOf(view: View, { name, rules }: Pick<Chain, "name" | "rules">, owner?: string): Difference {
  const { pair, owners } = view;
  const before = chainIn(pair, name);
  const after = rules.map((rule): Line => {
    return { text: rule.line, owner: owner ?? owners.wanted(rule), reason: rule.origin?.reason };
  });
  const edits = editsBetween(
    (before?.rules ?? []).map((rule) => ({ text: rule.line, owner: owner ?? owners.actual(name, rule) })),
    after,
  );
  return { ...placed(pair, name), change: before ? "changed" : "new", edits };
}

/** Of built-in chains only jumps are ours: all else stays, whatever it is. */
function builtInDifferences({ pair }: View, { jumpsIn, jumpsOut }: TableDifference): readonly Difference[] {
  const out = jumpsOut.map(appended);
  const reasons = new Map(wantedJumps(pair).map(({ line, origin }) => [line, origin?.reason]));
  const names = new Set([...jumpsIn, ...jumpsOut].map((line) => chainOf(line)));
  return [...names].map((name) => {
    const own = jumpsIn.map(appended).filter((line) => line.startsWith(`-A ${name} `));
    const comes = own.reverse().map((text): Edit => ({ kind: "comes", text, reason: reasons.get(text) }));
    // `-D` removes the first of equal rules.
    const there = (chainIn(pair, name)?.rules ?? []).map(({ line: text }): Edit => {
      const index = out.indexOf(text);
      if (index >= 0) out.splice(index, 1);
      return { kind: index >= 0 ? "goes" : "stays", text };
    });
    return { ...placed(pair, name), change: "changed", edits: [...comes, ...there] };
  });
}

function wantedJumps({ table, wanted }: TablePair): readonly Rule[] {
  return [...(wanted.tables.get(table)?.values() ?? [])].flatMap(({ hold, rules }) =>
    hold === "built-in" ? rules : [],
  );
}

/** `-I CHAIN …` and `-D CHAIN …` as the line that comes or goes. */
function appended(line: string): string {
  return `-A${line.slice(2)}`;
}

function chainIn({ table, actual }: TablePair, name: string): Chain | undefined {
  return actual.tables.get(table)?.get(name);
}

function placed({ table, wanted }: TablePair, name: string): Pick<Difference, "family" | "place"> {
  return { family: wanted.family, place: { kind: "chain", table, name } };
}

function byName({ place: a }: Difference, { place: b }: Difference): number {
  return printPlace(a) < printPlace(b) ? -1 : 1;
}
