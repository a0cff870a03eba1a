// Do events arrive, and does nothing ever come back from it to the daemon?
import t, { type Test } from "tap";
import type { NewEvent } from "../../src/source/event-object.ts";
import { createEventRecorder, NO_EVENTS } from "../../src/source/events.ts";
import type { Timing } from "../../src/source/timing.ts";
import { type ApiServer, startApiServer } from "../support/api-server/server.ts";
import { connectTo } from "../support/api-server/test-connection.ts";

const STARTING: NewEvent = { type: "Normal", reason: "Starting", action: "StartKubeProxy", note: "" };
const NOW = Date.UTC(2026, 10, 21, 8, 56, 43, 409);
const EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events";

/** Milliseconds: how long a request may last, a series is let alone, and a farewell takes. */
const [PATIENCE, REST, FAREWELL] = [30_000, 360_000, 2_000];

/** Pauses between attempts take no time; whatever else is timed waits to be let go. */
class QuickTiming implements Timing {
  readonly pauses: number[] = [];
  #held: { readonly delay: number; readonly callback: () => void }[] = [];

  now = () => 0;
  random = () => 0.5;

  after(delay: number, callback: () => void): () => void {
    const timer = { delay, callback };
    if ([PATIENCE, REST, FAREWELL].includes(delay)) this.#held.push(timer);
    else this.pauses.push(delay);
    const soon = this.#held.includes(timer) ? undefined : setImmediate(callback);
    return () => {
      clearImmediate(soon);
      this.#held = this.#held.filter((other) => other !== timer);
    };
  }

  waiting(delay: number): number {
    return this.#held.filter((timer) => timer.delay === delay).length;
  }

  letGo(delay: number): void {
    const due = this.#held.filter((timer) => timer.delay === delay);
    this.#held = this.#held.filter((timer) => timer.delay !== delay);
    for (const { callback } of due) callback();
  }
}

async function setUp(t: Test, url?: string) {
  const server = await startApiServer();
  const timing = new QuickTiming();
  const complaints: string[] = [];
  const recorder = createEventRecorder({
    connection: connectTo(url ?? server.url),
    timing,
    nodeName: "n1",
    hostname: "host",
    now: () => NOW,
    complain: (text) => complaints.push(text),
  });
  t.teardown(async () => {
    await recorder.close();
    await server.close();
  });
  return { server, timing, complaints, recorder };
}

/** Waits until something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}

const sent = ({ requests }: ApiServer) => requests.map(({ method, url }) => `${method} ${url.replace(EVENTS, "")}`);

t.test("an event is made", async (t) => {
  const { server, timing, recorder, complaints } = await setUp(t);
  recorder.record(STARTING);
  t.equal(server.requests.length, 0, "nobody waits for it");
  await until(() => timing.waiting(REST) === 1);
  t.match(server.events, [
    { method: "POST", path: EVENTS, contentType: "application/json", body: { reason: "Starting", kind: "Event" } },
  ]);
  t.strictSame([complaints, timing.waiting(PATIENCE)], [[], 0]);
});

t.test("repetitions become a series, whose count is written now and then", async (t) => {
  const { server, timing, recorder } = await setUp(t);
  recorder.record(STARTING);
  await until(() => timing.waiting(REST) === 1);
  for (let time = 2; time <= 50; time++) recorder.record(STARTING);
  await until(() => server.events.length === 2 && timing.waiting(REST) === 1);
  const name = `n1.${(BigInt(NOW) * 1_000_000n).toString(16)}`;
  t.strictSame(server.events[1], {
    method: "PATCH",
    path: `${EVENTS}/${name}`,
    contentType: "application/strategic-merge-patch+json",
    body: { series: { count: 2, lastObservedTime: "2026-11-21T08:56:43.409000Z" } },
  });
  t.equal(server.requests.length, 2);
  timing.letGo(REST);
  await until(() => server.events.length === 3 && timing.waiting(REST) === 1);
  t.match(server.events[2]?.body, { series: { count: 50 } });
  timing.letGo(REST);
  recorder.record(STARTING);
  await until(() => server.events.length === 4);
  t.match(sent(server)[3], /^POST /, "after a rest without a repetition it is news again");
  t.not(JSON.stringify(server.events[3]?.body).includes(name), true, "under a name of its own");
});

t.test("a repetition before the first could be written is in the first", async (t) => {
  const { server, timing, recorder } = await setUp(t);
  recorder.record({ ...STARTING, reason: "Other" });
  recorder.record(STARTING);
  recorder.record(STARTING);
  await until(() => timing.waiting(REST) === 2);
  t.match(server.events, [{ body: { reason: "Other" } }, { body: { reason: "Starting", series: { count: 2 } } }]);
});

t.test("a series that the server has forgotten is made anew", async (t) => {
  const { server, timing, recorder } = await setUp(t);
  recorder.record(STARTING);
  await until(() => timing.waiting(REST) === 1);
  server.fault({ trouble: { type: "status", code: 404 }, verb: "patch" });
  recorder.record(STARTING);
  await until(() => server.events.length === 2);
  t.match(server.events[1], { method: "POST", body: { series: { count: 2 } } });
});

t.test("an event that is there already is not made again", async (t) => {
  const { server, timing, recorder, complaints } = await setUp(t);
  server.fault({ trouble: { type: "status", code: 409 }, verb: "create", times: 2 });
  recorder.record(STARTING);
  await until(() => timing.waiting(REST) === 1);
  t.strictSame([sent(server), complaints], [["POST "], []]);
  recorder.record({ ...STARTING, reason: "A" });
  recorder.record({ ...STARTING, reason: "B" });
  recorder.record({ ...STARTING, reason: "B" });
  server.clearFaults();
  server.fault({ trouble: { type: "status", code: 409 }, verb: "create", times: 2 });
  await until(() => timing.waiting(REST) === 3);
  t.match(server.events, [{ method: "PATCH", body: { series: { count: 2 } } }], "of a series the count is told");
});

for (const code of [429, 500, 503]) {
  t.test(`${code} is tried again, with growing pauses`, async (t) => {
    const { server, timing, recorder, complaints } = await setUp(t);
    server.fault({ trouble: { type: "status", code }, times: 3 });
    recorder.record(STARTING);
    await until(() => server.events.length === 1);
    t.strictSame(timing.pauses, [1200, 2400, 4800]);
    t.strictSame(complaints, []);
  });
}

t.test("a conflict of a repetition is tried again", async (t) => {
  const { server, timing, recorder } = await setUp(t);
  recorder.record(STARTING);
  await until(() => timing.waiting(REST) === 1);
  server.fault({ trouble: { type: "status", code: 409 }, verb: "patch" });
  recorder.record(STARTING);
  await until(() => server.events.length === 2);
  t.match(sent(server), [/^POST/, /^PATCH/, /^PATCH/]);
});

t.test("a server that asks for patience gets it", async (t) => {
  const { server, timing, recorder } = await setUp(t);
  server.fault({ trouble: { type: "status", code: 429, retryAfter: "7" } });
  recorder.record(STARTING);
  await until(() => server.events.length === 1);
  t.strictSame(timing.pauses, [7350], "as long as it asked for, and some jitter");
});

t.test("after twelve attempts it is given up, once; the next event has its own", async (t) => {
  const { server, timing, recorder, complaints } = await setUp(t);
  server.fault({ trouble: { type: "status", code: 500, reason: "InternalError" }, times: 12 });
  recorder.record(STARTING);
  await until(() => timing.waiting(REST) === 1);
  t.equal(server.requests.length, 12);
  t.equal(timing.pauses.length, 11);
  t.match(complaints, [/^Event Starting of Node n1 is given up: 500 InternalError/]);
  timing.letGo(REST);
  recorder.record(STARTING);
  await until(() => server.events.length === 1);
  t.equal(complaints.length, 1);
});

t.test("a refusal is not tried again", async (t) => {
  const { server, timing, recorder, complaints } = await setUp(t);
  server.fault({ trouble: { type: "status", code: 403, reason: "Forbidden" } });
  recorder.record(STARTING);
  await until(() => timing.waiting(REST) === 1);
  t.match(complaints, [/is given up: 403 Forbidden/]);
  t.equal(server.requests.length, 1);
});

t.test("no server at all is tried twelve times", async (t) => {
  const gone = await startApiServer();
  await gone.close();
  const { timing, recorder, complaints } = await setUp(t, gone.url);
  recorder.record(STARTING);
  await until(() => complaints.length === 1);
  t.match(complaints, [/is given up: .*ECONNREFUSED/]);
  t.equal(timing.pauses.length, 11);
});

for (const [name, trouble] of [
  ["breaks off", { type: "cut", after: 5 }],
  ["goes silent", { type: "stall", after: 5 }],
] as const) {
  t.test(`an answer that ${name} is asked for again`, async (t) => {
    const { server, timing, recorder } = await setUp(t);
    server.fault({ trouble });
    recorder.record(STARTING);
    await until(() => server.requests.length === 1);
    if (trouble.type === "stall") {
      await until(() => server.events.length === 1 && timing.waiting(PATIENCE) === 1);
      await new Promise((resolve) => setTimeout(resolve, 50));
      timing.letGo(PATIENCE);
    }
    await until(() => timing.waiting(REST) === 1);
    t.equal(server.events.length, 2);
  });
}

t.test("more events than can wait are left out, and that is said once", async (t) => {
  const { timing, recorder, complaints } = await setUp(t);
  for (let service = 0; service < 1010; service++) {
    recorder.record({ ...STARTING, service: { namespace: "shop", name: `s${service}` } });
  }
  t.equal(complaints.length, 1);
  await until(() => timing.waiting(REST) === 1000);
  timing.letGo(REST);
  recorder.record(STARTING);
  await until(() => timing.waiting(REST) === 1);
  t.equal(complaints.length, 1, "when they are through, there is room again");
});

t.test("at the end what waits is still written, and nothing is taken any more", async (t) => {
  const { server, recorder } = await setUp(t);
  recorder.record(STARTING);
  await recorder.close();
  t.equal(server.events.length, 1);
  recorder.record(STARTING);
  await recorder.close();
  t.equal(server.events.length, 1);
});

t.test("the end does not wait for a server that is silent", async (t) => {
  const { server, timing, recorder, complaints } = await setUp(t);
  server.fault({ trouble: { type: "stall", after: 0 }, times: Number.POSITIVE_INFINITY });
  recorder.record(STARTING);
  recorder.record({ ...STARTING, reason: "Other" });
  await until(() => server.requests.length === 1);
  const closed = recorder.close();
  timing.letGo(FAREWELL);
  await closed;
  t.equal(server.requests.length, 1);
  t.match(complaints, [/Starting of Node n1 is given up/, /Other of Node n1 is given up: the process ends/]);
});

t.test("without an API server events go nowhere", async (t) => {
  NO_EVENTS.record(STARTING);
  t.equal(await NO_EVENTS.close(), undefined);
});
