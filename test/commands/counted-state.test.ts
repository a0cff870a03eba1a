import t from "tap";
import { countedState } from "../../src/commands/counted-state.ts";
import { NO_PROGRESS } from "../../src/commands/progress.ts";
import { pagedList } from "../../src/paged-list.ts";
import { type Chain, emptyState, type Fragment, type KernelState } from "../../src/state/kernel-state.ts";

const CHAIN: Chain = { name: "KUBE-SVC-A", hold: "ours", rules: [] };

function fragment(key: string, size: number): Fragment {
  return {
    key,
    size,
    chains: (table) => (table === "nat" ? [CHAIN] : []),
    shares: () => new Map(),
    ipvs: () => undefined,
  };
}

const STATE: KernelState = {
  ...emptyState("IPv4"),
  fragments: pagedList([fragment("a/a:x/TCP", 30), fragment("a/b:x/TCP", 70)]),
};

t.test("each fragment counts once, where its chains are", async (t) => {
  const said: string[] = [];
  const state = countedState(STATE, { ...NO_PROGRESS, show: (say) => said.push(say()) });
  const found: (readonly Chain[])[] = [];
  for (const table of ["filter", "nat", "nat"] as const) {
    for (const fragment of state.fragments) found.push(fragment.chains(table));
  }
  t.strictSame(found, [[], [], [CHAIN], [CHAIN], [CHAIN], [CHAIN]], "what is compared stays what it is");
  t.strictSame(
    said,
    [0, 0, 30, 100, 100, 100].map((done) => `compared ${done} of 100 rules`),
  );
  t.strictSame(
    [...state.fragments].map(({ key }) => key),
    ["a/a:x/TCP", "a/b:x/TCP"],
  );
});
