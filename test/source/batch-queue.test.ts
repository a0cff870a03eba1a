import t from "tap";
import type { ObjectIdentity } from "../../src/api/object-name.ts";
import { InputError } from "../../src/errors.ts";
import { BatchQueue, type News, NOTHING } from "../../src/source/batch-queue.ts";
import type { Batch } from "../../src/source/source.ts";
import { printChange } from "../support/api-server/followed-cluster.ts";
import { buildNode } from "../support/build.ts";
import { settle } from "../support/clock.ts";
import { HandTiming } from "../support/timing.ts";

function set(name: string, zone = "z1"): News {
  return { change: { type: "set", object: buildNode({ name, zone }) }, notes: NOTHING };
}

function gone(name: string): News {
  const identity: ObjectIdentity = { kind: "Node", namespace: "", name };
  return { change: { type: "delete", identity }, notes: NOTHING };
}

function wrong(reason: string): News {
  const passedOver = [{ category: "unused", place: {}, reason: `note ${reason}` }] as const;
  const notes = { problems: [new InputError({}, reason)], passedOver };
  return { change: undefined, notes };
}

interface Reader {
  next(): Promise<Batch>;
  stop(): Promise<boolean>;
}

function read(queue: BatchQueue): Reader {
  const stop = new AbortController();
  const batches = queue.read(stop.signal);
  return {
    next: async () => {
      const { value } = await batches.next();
      if (!value) throw new Error("the queue has ended");
      return value;
    },
    stop: async () => {
      const next = batches.next();
      stop.abort();
      return (await next).done === true;
    },
  };
}

t.test("what arrives in one turn of the event loop is one batch", async (t) => {
  const queue = new BatchQueue();
  const reader = read(queue);
  const next = reader.next();
  setImmediate(() => {
    queue.put("a", set("a"), false);
    queue.put("b", set("b"), false);
    queue.complete("Node");
    Promise.resolve().then(() => queue.put("c", set("c"), false));
  });
  t.strictSame((await next).changes.map(printChange), ["set Node a", "set Node b", "set Node c", "complete Node"]);
});

t.test("what was there before the reader came is told at once", async (t) => {
  const queue = new BatchQueue();
  queue.complete("Service");
  t.strictSame((await read(queue).next()).changes.map(printChange), ["complete Service"]);
});

/** News as a slow reader misses them (name of what, whether it was known), and what he hears in the end. */
const MERGED: Readonly<Record<string, readonly [readonly (readonly [News, boolean])[], readonly string[]]>> = {
  "the latest counts": [
    [
      [set("a", "z1"), false],
      [set("a", "z2"), true],
    ],
    ["set Node a"],
  ],
  "one that came and went was never there": [
    [
      [set("a"), false],
      [gone("a"), true],
    ],
    [],
  ],
  "one that came, changed and went was never there": [
    [
      [set("a"), false],
      [set("a"), true],
      [gone("a"), true],
    ],
    [],
  ],
  "one that was known is gone": [
    [
      [set("a"), true],
      [gone("a"), true],
    ],
    ["delete Node a"],
  ],
  "one that went and came again": [
    [
      [gone("a"), true],
      [set("a"), false],
    ],
    ["set Node a"],
  ],
  "one that went, came and went": [
    [
      [gone("a"), true],
      [set("a"), false],
      [gone("a"), true],
    ],
    ["delete Node a"],
  ],
  "one that went and came again as what cannot be read": [
    [
      [gone("a"), true],
      [wrong("bad"), false],
    ],
    ["delete Node a"],
  ],
};

for (const [name, [news, heard]] of Object.entries(MERGED)) {
  t.test(`for a slow reader: ${name}`, async (t) => {
    const queue = new BatchQueue();
    for (const [each, known] of news) queue.put("a", each, known);
    queue.complete("Node");
    const { changes } = await read(queue).next();
    t.strictSame(changes.map(printChange), [...heard, "complete Node"]);
    t.equal(
      changes.flatMap((each) => (each.type === "set" && each.object.kind === "Node" ? [each.object.zone] : [])).length,
      heard[0]?.startsWith("set") ? 1 : 0,
    );
  });
}

t.test("a problem is told with or without its object", async (t) => {
  const queue = new BatchQueue();
  queue.put("a", wrong("bad"), false);
  queue.put("b", { ...gone("b"), notes: { problems: [new InputError({}, "worse")], passedOver: [] } }, false);
  const { changes, problems, passedOver } = await read(queue).next();
  t.strictSame(changes, []);
  t.strictSame(
    problems.map(({ message }) => message),
    ["bad", "worse"],
  );
  t.strictSame(
    passedOver.map(({ reason }) => reason),
    ["note bad"],
  );
});

t.test("a problem is told while it lasts, however often its object changed since", async (t) => {
  const queue = new BatchQueue();
  const again: News = { change: undefined, notes: "as before" };
  for (const key of ["a", "b"]) queue.put(key, wrong(`bad ${key}`), false);
  for (const key of ["a", "b", "c"]) queue.put(key, again, false);
  queue.put("b", set("b"), false);
  const { changes, problems } = await read(queue).next();
  t.strictSame(changes.map(printChange), ["set Node b"]);
  t.strictSame(
    problems.map(({ message }) => message),
    ["bad a"],
  );
});

t.test("a reader who waits is let go when it is over", async (t) => {
  const queue = new BatchQueue();
  const reader = read(queue);
  t.equal(await reader.stop(), true);
  t.equal(await reader.stop(), true, "and one who comes later");
});

t.test("a fault of ours reaches the reader", async (t) => {
  const queue = new BatchQueue();
  const next = read(queue).next();
  queue.fail(new TypeError("ours"));
  await t.rejects(next, new TypeError("ours"));
});

t.test("a slow reader costs no more than the objects that there are", async (t) => {
  const queue = new BatchQueue();
  for (let turn = 0; turn < 5000; turn++) {
    queue.put(`n${turn}`, set(`n${turn}`), false);
    queue.put("steady", set("steady", `z${turn}`), turn > 0);
    queue.put(`n${turn}`, gone(`n${turn}`), true);
  }
  t.strictSame((await read(queue).next()).changes.map(printChange), ["set Node steady"]);
});

/** A queue whose reader has just had news of `a` and waits for more. */
async function waitForMore() {
  const timing = new HandTiming();
  const queue = new BatchQueue(timing);
  const reader = read(queue);
  queue.put("a", set("a"), false);
  await reader.next();
  const heard: string[] = [];
  const next = reader.next().then(({ changes }) => {
    heard.push(...changes.map(printChange));
  });
  await settle();
  return { timing, queue, heard, next };
}

t.test("changes without end are told together, forty times a second", async (t) => {
  const { timing, queue, heard } = await waitForMore();
  queue.put("b", set("b"), false);
  await timing.advance(24);
  queue.put("c", set("c"), false);
  await settle();
  t.strictSame(heard, []);
  await timing.advance(1);
  t.strictSame(heard, ["set Node b", "set Node c"]);
});

t.test("a change after a rest is told at once", async (t) => {
  const { timing, queue, heard } = await waitForMore();
  await timing.advance(100);
  queue.put("b", set("b"), false);
  await settle();
  t.strictSame(heard, ["set Node b"]);
});

t.test("a kind that becomes complete is told at once, with what waits", async (t) => {
  const { timing, queue, heard } = await waitForMore();
  queue.put("b", set("b"), false);
  queue.complete("Node");
  await settle();
  t.strictSame(heard, ["set Node b", "complete Node"]);
  t.equal(timing.next(), undefined, "nothing is waited for any more");
});

t.test("a kind that became complete while the reader was busy is told at once", async (t) => {
  const queue = new BatchQueue(new HandTiming());
  const reader = read(queue);
  queue.put("a", set("a"), false);
  await reader.next();
  queue.complete("Node");
  t.strictSame((await reader.next()).changes.map(printChange), ["complete Node"]);
});

t.test("a fault of ours does not wait", async (t) => {
  const { queue, next } = await waitForMore();
  queue.fail(new TypeError("ours"));
  await t.rejects(next, new TypeError("ours"));
});

t.test("a reader between two batches is let go when it is over", async (t) => {
  const timing = new HandTiming();
  const queue = new BatchQueue(timing);
  const reader = read(queue);
  queue.put("a", set("a"), false);
  await reader.next();
  t.equal(await reader.stop(), true);
  t.equal(timing.next(), undefined, "nothing is waited for any more");
});

t.test("a reader who was told that it is over while it was busy is let go", async (t) => {
  const stop = new AbortController();
  const queue = new BatchQueue(new HandTiming());
  const batches = queue.read(stop.signal);
  queue.put("a", set("a"), false);
  await batches.next();
  stop.abort();
  t.equal((await batches.next()).done, true);
});
