import t from "tap";
import { eventKey, eventObject, type NewEvent, printMicroTime } from "../../src/source/event-object.ts";

const REPORTER = { nodeName: "worker-a", hostname: "Worker-A" };
const STARTING: NewEvent = { type: "Normal", reason: "Starting", action: "StartKubeProxy", note: "" };
const LISTEN: NewEvent = {
  type: "Warning",
  reason: "FailedToStartServiceHealthcheck",
  action: "Listen",
  note: "node worker-a failed to start healthcheck for shop/cart on port 30100",
  service: { namespace: "shop", name: "cart" },
};

/** 2026-11-21T08:56:43.409049123Z */
const TIME = 1_795_251_403_409_049_123n;

t.test("an event of the Node", async (t) => {
  t.strictSame(eventObject(STARTING, REPORTER, TIME), {
    apiVersion: "events.k8s.io/v1",
    kind: "Event",
    metadata: { namespace: "default", name: `worker-a.${TIME.toString(16)}` },
    eventTime: "2026-11-21T08:56:43.409049Z",
    reportingController: "kube-proxy",
    reportingInstance: "kube-proxy-Worker-A",
    type: "Normal",
    reason: "Starting",
    action: "StartKubeProxy",
    regarding: { apiVersion: "v1", kind: "Node", name: "worker-a" },
  });
});

t.test("an event of a Service lives beside it", async (t) => {
  t.match(eventObject(LISTEN, REPORTER, TIME), {
    metadata: { namespace: "shop", name: /^cart\.[0-9a-f]{16}$/ },
    note: LISTEN.note,
    regarding: { apiVersion: "v1", kind: "Service", namespace: "shop", name: "cart" },
  });
});

t.test("names are hexadecimal nanoseconds behind the object's", async (t) => {
  t.equal(eventObject(STARTING, REPORTER, 0xabc_def0_1234_5678n).metadata.name, "worker-a.abcdef012345678");
});

t.test("limits of the API are kept", async (t) => {
  const name = `${"a".repeat(235)}.${"b".repeat(17)}`;
  const event = eventObject(STARTING, { nodeName: name, hostname: "c".repeat(300) }, TIME);
  t.match(event.metadata.name, /^a{235}\.[0-9a-f]{16}$/, "the rest of a long name may not end in a dot");
  t.equal(event.regarding.name, name);
  t.equal(event.reportingInstance.length, 128);
});

for (const [kind, note, bytes] of [
  ["short", "x".repeat(1024), 1024],
  ["long", "x".repeat(1025), 1024],
  ["of letters of two bytes", "ä".repeat(600), 1024],
  ["of letters of four bytes, not cut in two", `x${"😀".repeat(300)}`, 1021],
] as const) {
  t.test(`a note that is ${kind}`, async (t) => {
    const cut = eventObject({ ...STARTING, note }, REPORTER, TIME).note ?? "";
    t.equal(Buffer.byteLength(cut), bytes);
    t.ok(note.startsWith(cut));
  });
}

t.test("repetitions are alike in all but note and time", async (t) => {
  t.equal(eventKey(LISTEN), eventKey({ ...LISTEN, note: "other" }));
  const others: readonly NewEvent[] = [
    { ...LISTEN, type: "Normal" },
    { ...LISTEN, reason: "Other" },
    { ...LISTEN, action: "Other" },
    { ...LISTEN, service: { namespace: "shop", name: "desk" } },
    { ...LISTEN, service: { namespace: "store", name: "cart" } },
    STARTING,
  ];
  t.equal(new Set([LISTEN, ...others].map(eventKey)).size, 7);
});

t.test("times have six decimals, always", async (t) => {
  t.equal(printMicroTime(0n), "1970-01-01T00:00:00.000000Z");
  t.equal(printMicroTime(1_000_007_999n), "1970-01-01T00:00:01.000007Z");
});
