// Does the way down an index lead to all rules of a fragment, with every chain on it named once?
import t from "tap";
import { indexChains } from "../../src/state/index-chains.ts";
import { indexTree, isIndexed, pruneTree } from "../../src/state/index-tree.ts";
import { indexRulesOf } from "../../src/state/index-way.ts";
import { targetOf } from "../../src/state/rule.ts";
import { wideState } from "../support/pictured.ts";

const WIDE = await wideState();

const tailOf = (line: string) => line.replace(/^-A \S+/, "");

for (const table of ["nat", "filter"] as const) {
  t.test(table, async (t) => {
    let passedBy = 0;
    for (const chain of [...(WIDE.tables.get(table)?.values() ?? [])].filter(isIndexed)) {
      for (const fragment of WIDE.fragments) {
        const { root, below } = indexRulesOf(WIDE, table, { chain, fragment });
        const rules = [...root, ...below.flatMap((each) => each.chain.rules)];
        const shares = fragment.shares(table).get(chain.name) ?? [];
        const [led, own] = [
          new Set(below.map((each) => each.chain.name)),
          new Set(shares.map(({ line }) => tailOf(line))),
        ];
        const ends = rules.filter(({ line }) => own.has(tailOf(line)));
        const targets = rules.filter(({ line }) => !own.has(tailOf(line))).map(({ line }) => targetOf(line));
        const pruned = pruneTree(indexTree(table, chain, WIDE.fragments), new Set([fragment.key]));
        const names = indexChains(chain, pruned).below.map(({ name }) => name);
        passedBy += below.flatMap(({ passed }) => passed).length;
        const told = below.flatMap((each) => [each.chain.name, ...each.passed]);
        t.strictSame([ends.length, new Set(targets), told.toSorted()], [shares.length, led, names.toSorted()]);
      }
    }
    t.equal(passedBy > 0, table === "nat", "chains that lead on to one other alone");
  });
}
