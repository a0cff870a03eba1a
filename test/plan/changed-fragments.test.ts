// Is every fragment that came or went found, wherever it stands, by identity alone?
import t from "tap";
import { changedFragments } from "../../src/plan/changed-fragments.ts";
import type { Fragment } from "../../src/state/kernel-state.ts";

/** Never to be looked into. */
function closed(key: string): Fragment {
  const refuse = () => {
    throw new RangeError(`${key} was looked into`);
  };
  return { key, chains: refuse, shares: refuse };
}

const [a, b, c, d, other] = [closed("a"), closed("b"), closed("c"), closed("d"), closed("b")];

const CASES = [
  { name: "nothing at all", wanted: [], actual: [], come: [], gone: [] },
  { name: "all the same", wanted: [a, b, c], actual: [a, b, c], come: [], gone: [] },
  { name: "on a node that has none", wanted: [a, b], actual: [], come: [a, b], gone: [] },
  { name: "all go", wanted: [], actual: [a, b], come: [], gone: [a, b] },
  { name: "one comes in the midst", wanted: [a, b, c], actual: [a, c], come: [b], gone: [] },
  { name: "one comes first", wanted: [a, b], actual: [b], come: [a], gone: [] },
  { name: "one goes last", wanted: [a], actual: [a, b], come: [], gone: [b] },
  { name: "one has another content", wanted: [a, other, c], actual: [a, b, c], come: [other], gone: [b] },
  { name: "changes round one that stays", wanted: [a, c, d], actual: [b, c], come: [a, d], gone: [b] },
];

for (const { name, wanted, actual, come, gone } of CASES) {
  t.test(name, async (t) => {
    const changed = changedFragments(wanted, actual);
    t.ok(changed.come.length === come.length && come.every((one, index) => one === changed.come[index]), "come");
    t.ok(changed.gone.length === gone.length && gone.every((one, index) => one === changed.gone[index]), "gone");
  });
}
