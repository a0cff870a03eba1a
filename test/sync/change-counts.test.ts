// Tests of the counts of objects that arrived and of changes that are pending.
import t from "tap";
import type { Change } from "../../src/source/source.ts";
import { ChangeCounts } from "../../src/sync/change-counts.ts";
import { buildNode, buildService, buildSlice } from "../support/build.ts";
import { buildReport } from "../support/metrics.ts";
import { Observed } from "../support/observed.ts";

const CHANGES: readonly Change[] = [
  { type: "set", object: buildService() },
  { type: "set", object: buildSlice([]) },
  { type: "delete", identity: { kind: "EndpointSlice", namespace: "ns", name: "s-2" } },
  { type: "set", object: buildNode() },
  { type: "complete", kind: "Service" },
];

t.test("until a pass went well", async (t) => {
  const watchers = new Observed();
  const counts = new ChangeCounts(watchers);
  const told = () => watchers.calls.splice(0);
  counts.note(CHANGES);
  t.strictSame(told(), ["changed Service 1 1", "changed EndpointSlice 2 2"]);
  counts.observer.passed("IPv4", buildReport({ failure: { step: "iptables", code: "1", words: "no" } }));
  counts.note(CHANGES.slice(1, 2));
  t.strictSame(told(), ["passed IPv4", "changed EndpointSlice 1 3"]);
  counts.observer.passed("IPv4", buildReport());
  counts.note(CHANGES.slice(1, 2));
  t.strictSame(told(), ["passed IPv4", "changed EndpointSlice 1 1"]);
});

t.test("a batch after which no family wants a sync leaves nothing pending", async (t) => {
  const watchers = new Observed();
  const counts = new ChangeCounts(watchers);
  const told = () => watchers.calls.splice(0);
  counts.note(CHANGES);
  counts.settle();
  t.strictSame(told().slice(2), ["changed Service 0 0", "changed EndpointSlice 0 0"]);
  counts.settle();
  t.strictSame(told(), [], "said once");
  counts.note(CHANGES.slice(0, 1));
  counts.observer.queued("IPv4");
  counts.settle();
  t.strictSame(told(), ["changed Service 1 1", "queued IPv4"], "a sync is due");
  counts.observer.passed("IPv4", buildReport({ failure: { step: "iptables", code: "1", words: "no" } }));
  counts.note(CHANGES.slice(0, 1));
  counts.settle();
  t.strictSame(told(), ["passed IPv4", "changed Service 1 2"], "and still is after a failure");
});

t.test("all else that the loops tell goes on", async (t) => {
  const watchers = new Observed();
  const { observer } = new ChangeCounts(watchers);
  observer.began("IPv6");
  observer.queued("IPv6");
  observer.progressed("IPv6", { done: 1, of: 2, rules: 3 });
  observer.flushed("IPv6", { elapsed: 1, deleted: 0 });
  t.strictSame(watchers.calls, ["began IPv6", "queued IPv6", "progressed IPv6 1/2 3", "flushed IPv6"]);
});
