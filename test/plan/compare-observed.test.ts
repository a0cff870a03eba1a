// Checks which parts of two observed states are compared.
import t from "tap";
import { compareObserved } from "../../src/plan/compare-observed.ts";
import { DUMP_PARTS, type DumpPart } from "../../src/state/dump-part.ts";
import { emptyState, type KernelState } from "../../src/state/kernel-state.ts";

const SETTING = { path: "net/netfilter/nf_conntrack_max", value: "1000" };
const STATE: KernelState = { ...emptyState("IPv4"), counters: ["a"], sysctls: [{ path: SETTING.path, least: 1000 }] };

function compared(to: Partial<KernelState>, parts: Iterable<DumpPart> = DUMP_PARTS) {
  const comparison = { jumps: [], parts: new Set(parts), missing: new Set<never>() };
  return compareObserved(STATE, { ...STATE, ...to }, comparison).map(({ place, change }) => `${place.kind} ${change}`);
}

t.test("a counter that is missing, and a setting that is too low, are differences", (t) => {
  t.strictSame(compared({ counters: [], sysctls: [SETTING] }), ["counters gone"]);
  t.strictSame(compared({ sysctls: [{ ...SETTING, value: "999" }] }), ["sysctls changed"]);
  t.end();
});

t.test("what one side does not show is not compared", (t) => {
  t.strictSame(compared({ counters: [], sysctls: [] }, ["tables"]), []);
  t.end();
});
