// Which of the times of change wait for a pass?
import t from "tap";
import type { Change } from "../../src/source/source.ts";
import { TriggerTimes } from "../../src/sync/trigger-times.ts";
import { buildService, buildSlice } from "../support/build.ts";

const SINCE = 1_000;

const slice = (name: string, triggered?: number, family: "IPv4" | "IPv6" = "IPv4"): Change => ({
  type: "set",
  object: { ...buildSlice([]), name, family },
  ...(triggered !== undefined && { triggered }),
});

const removed = (name: string): Change => ({
  type: "delete",
  identity: { kind: "EndpointSlice", namespace: buildSlice([]).namespace, name },
});

const CASES = [
  { name: "each change of a slice", changes: [slice("a", 2_000), slice("a", 3_000)], times: [2_000, 3_000] },
  { name: "a slice without a time", changes: [slice("a")], times: [] },
  { name: "a change before the daemon began", changes: [slice("a", SINCE), slice("b", SINCE + 0.5)], times: [1_000.5] },
  { name: "a slice of the other family", changes: [slice("a", 2_000, "IPv6")], times: [] },
  { name: "a slice that went again", changes: [slice("a", 2_000), slice("b", 3_000), removed("a")], times: [3_000] },
  {
    name: "a Service and a list that is complete",
    changes: [
      { type: "set", object: buildService(), triggered: 2_000 },
      { type: "complete", kind: "EndpointSlice" },
      { type: "delete", identity: { kind: "Service", namespace: "a", name: "a" } },
    ],
    times: [],
  },
] as const;

for (const { name, changes, times } of CASES) {
  t.test(name, async (t) => {
    const triggers = new TriggerTimes("IPv4", SINCE);
    triggers.note(changes);
    t.strictSame(triggers.take(), times);
    t.strictSame(triggers.take(), [], "once");
  });
}

t.test("a pass that failed leaves its times to the next one", async (t) => {
  const triggers = new TriggerTimes("IPv4", SINCE);
  triggers.note([slice("a", 2_000)]);
  triggers.giveBack(triggers.take());
  triggers.note([slice("a", 3_000)]);
  t.strictSame(triggers.take(), [2_000, 3_000]);
});

t.test("while nothing succeeds only the newest times of a slice are kept", async (t) => {
  const triggers = new TriggerTimes("IPv4", SINCE);
  for (let time = 1; time <= 250; time++) triggers.note([slice("a", SINCE + time)]);
  const times = triggers.take();
  t.strictSame([times.length, times[0], times.at(-1)], [100, 1_151, 1_250]);
  triggers.giveBack(Array.from({ length: 250 }, (_, index) => index));
  t.equal(triggers.take().length, 100);
});
