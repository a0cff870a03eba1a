import t from "tap";
import type { Node } from "../../src/api/objects.ts";
import { type FoundNode, NODE_PATIENCE, waitForNode } from "../../src/commands/node-wait.ts";
import type { Batch, Change, Source } from "../../src/source/source.ts";
import { buildNode, buildService, buildSlice } from "../support/build.ts";
import { HandClock, settle } from "../support/clock.ts";
import { HandSource } from "../support/hand-source.ts";

const COMPLETE: Change = { type: "complete", kind: "Node" };
const GONE: Change = { type: "delete", identity: { kind: "Node", namespace: "", name: "n1" } };
const MINUTE = 60_000;

function set(given: Partial<Node> = {}): Change {
  return { type: "set", object: buildNode(given) };
}

function setUp(needsPodCIDRs = false) {
  const objects = new HandSource();
  const clock = new HandClock();
  let found: FoundNode | undefined;
  let failure: unknown;
  const reported: Batch[] = [];
  const waiting = waitForNode({
    report: (batch) => reported.push(batch),
    source: objects.read(),
    nodeName: "n1",
    needsPodCIDRs,
    patience: NODE_PATIENCE,
    clock,
  });
  waiting.then(
    (answer) => {
      found = answer;
    },
    (error) => {
      failure = error;
    },
  );
  return { objects, clock, waiting, reported, found: () => found, failure: () => failure };
}

async function gather(source: Source): Promise<readonly Batch[]> {
  const batches: Batch[] = [];
  for await (const batch of source) batches.push(batch);
  return batches;
}

t.test("nothing is waited for once the Node and its address are there", async (t) => {
  const { objects, clock, waiting } = setUp();
  objects.say(set({ name: "n2" }), set(), COMPLETE);
  t.match((await waiting).node, { name: "n1" });
  t.equal(clock.next(), undefined, "no timer is left");
});

t.test("the first list is waited for without end", async (t) => {
  const { objects, clock, waiting, found } = setUp();
  await clock.advance(1000 * MINUTE);
  objects.say(set());
  await clock.advance(1000 * MINUTE);
  t.notOk(found(), "one Node is not the whole list");
  objects.say(COMPLETE);
  t.match((await waiting).node, { name: "n1" });
});

const LATE: readonly [name: string, said: readonly Change[], node: object | undefined][] = [
  ["no Node", [], undefined],
  ["a Node without addresses", [set({ addresses: [] })], { addresses: [] }],
  ["a Node that went", [set({ addresses: [] }), GONE], undefined],
];

for (const [name, said, node] of LATE) {
  t.test(`${name} is waited for half a minute, and then does without`, async (t) => {
    const { objects, clock, found } = setUp();
    objects.say(...said, COMPLETE);
    await settle();
    await clock.advance(29_999);
    t.notOk(found());
    await clock.advance(1);
    if (node) t.match(found()?.node, node);
    else t.match(found(), { node: undefined });
  });
}

t.test("a Node that comes in time is taken", async (t) => {
  const { objects, clock, waiting } = setUp();
  objects.say(COMPLETE);
  await settle();
  await clock.advance(20_000);
  objects.say(set());
  t.match((await waiting).node, { addresses: ["192.0.2.10", "2001:db8:a::10"] });
});

t.test("pod ranges are waited for five minutes more", async (t) => {
  const { objects, clock, waiting, found } = setUp(true);
  objects.say(set({ podCIDRs: [] }), COMPLETE);
  await settle();
  await clock.advance(5 * MINUTE - 1);
  t.notOk(found());
  objects.say(set());
  t.match((await waiting).node, { podCIDRs: ["10.244.0.0/24", "fd00:244::/64"] });
});

const FATAL: readonly [name: string, said: readonly Change[], message: string][] = [
  ["no Node", [], 'timeout waiting for node "n1" to exist'],
  ["no pod ranges", [set({ podCIDRs: [] })], 'timeout waiting for PodCIDR allocation on node "n1"'],
];

for (const [name, said, message] of FATAL) {
  t.test(`${name} where pod ranges are needed is the end`, async (t) => {
    const { objects, clock, failure } = setUp(true);
    objects.say(...said, COMPLETE);
    await settle();
    await clock.advance(6 * MINUTE);
    t.match(failure(), { name: "FatalError", message });
  });
}

t.test("pod ranges without an address are enough where they are needed", async (t) => {
  const { objects, clock, found } = setUp(true);
  objects.say(set({ addresses: [] }), COMPLETE);
  await settle();
  await clock.advance(30_000);
  t.match(found()?.node, { addresses: [] });
});

t.test("the newest of each object is told at once, and then what comes", async (t) => {
  const { objects, waiting } = setUp();
  const service: Change = { type: "set", object: buildService() };
  objects.say(service, set({ addresses: [] }));
  objects.say(COMPLETE);
  objects.say(set());
  const { source, close } = await waiting;
  const gathering = gather(source);
  objects.say(GONE);
  objects.end();
  t.strictSame(
    (await gathering).map(({ changes }) => changes),
    [[service, set(), COMPLETE], [GONE]],
  );
  await close();
  t.ok(objects.closed);
});

t.test("while Nodes cannot be listed, events of other objects do not pile up", async (t) => {
  const { objects, waiting, reported } = setUp();
  for (let round = 0; round < 2_000; round++) {
    for (const name of ["a", "b", "c"])
      objects.say({ type: "set", object: buildSlice([], { name, service: `s${round}` }) });
    objects.say({ type: "set", object: buildSlice([], { name: `short-lived-${round}` }) });
    const identity = { kind: "EndpointSlice", namespace: "ns", name: `short-lived-${round}` } as const;
    objects.say({ type: "delete", identity });
    if (round % 100 === 0) await settle();
  }
  objects.say({ type: "complete", kind: "EndpointSlice" }, set(), COMPLETE);
  const { source } = await waiting;
  t.equal(reported.length, 10_001, "problems of all batches could be logged");
  objects.end();
  const [first, ...others] = await gather(source);
  t.strictSame(others, []);
  t.equal(first?.changes.length, 6, "three slices, the Node, and two kinds that are complete");
  t.match(first?.changes[0], { object: { name: "a", service: "s1999" } });
});

t.test("what was asked for while patience ended is not lost", async (t) => {
  const { objects, clock, waiting } = setUp();
  objects.say(COMPLETE);
  await settle();
  await clock.advance(30_000);
  const gathering = gather((await waiting).source);
  objects.say(GONE);
  objects.end();
  t.strictSame((await gathering).length, 2);
});

t.test("a source that ends is waited for no longer", async (t) => {
  const early = setUp(true);
  early.objects.end();
  t.equal((await early.waiting).node, undefined);
  t.strictSame(await gather((await early.waiting).source), []);
});

t.test("a source that nobody goes through can be closed", async (t) => {
  const { objects, waiting } = setUp();
  objects.say(set(), COMPLETE);
  await (await waiting).close();
  t.ok(objects.closed);
});
