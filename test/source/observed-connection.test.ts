// Checks that each request is reported once, with its outcome, durations and sizes.
import t from "tap";
import { type ApiAnswer, type ApiConnection, ConnectionError } from "../../src/source/connection.ts";
import { observedConnection, type RequestNote } from "../../src/source/observed-connection.ts";

const { signal } = new AbortController();

function setUp(send: ApiConnection["send"]) {
  const notes: RequestNote[] = [];
  let time = 1_000;
  let closed = 0;
  const close = async () => {
    closed += 1;
  };
  const onConnected = (listener: () => void) => {
    listener();
    return () => {};
  };
  const observed = observedConnection(
    { server: "https://10.0.0.1:6443", send, onConnected, close },
    (note) => notes.push(note),
    {
      now: () => time,
    },
  );
  return { observed, notes, closed: () => closed, pass: (elapsed: number) => (time += elapsed) };
}

const answer = (status: number, ...pieces: string[]): ApiAnswer => ({
  status,
  headers: new Map(),
  body: (async function* () {
    for (const piece of pieces) yield Buffer.from(piece);
  })(),
});

t.test("an answer is reported when it was read to its end", async (t) => {
  const { observed, notes, pass, closed } = setUp(async ({ onThrottled }) => {
    onThrottled?.(25);
    return answer(200, "a", "b");
  });
  const { body } = await observed.send({ method: "GET", path: "/api/v1/services?limit=500", signal });
  pass(40);
  t.strictSame(notes, []);
  let text = "";
  for await (const piece of body) text += Buffer.from(piece).toString();
  t.equal(text, "ab");
  t.strictSame(notes, [
    { host: "10.0.0.1:6443", method: "GET", code: 200, elapsed: 40, throttled: 25, responseSize: 2 },
  ]);
  let connections = 0;
  observed.onConnected(() => connections++);
  t.equal(connections, 1);
  await observed.close();
  t.equal(closed(), 1);
});

t.test("an answer that is not read to its end is reported with what was read", async (t) => {
  const { observed, notes } = setUp(async () => answer(429, "a", "b"));
  const { body } = await observed.send({
    method: "POST",
    path: "/apis/events.k8s.io/v1/namespaces/default/events",
    body: '{"é":1}',
    signal,
  });
  for await (const _ of body) break;
  const sizes = { requestSize: 8, responseSize: 1 };
  t.strictSame(notes, [{ host: "10.0.0.1:6443", method: "POST", code: 429, elapsed: 0, throttled: 0, ...sizes }]);
});

t.test("a watch is reported as soon as it is answered, without a duration", async (t) => {
  const { observed, notes } = setUp(async () => answer(200));
  const { body } = await observed.send({ method: "GET", path: "/api/v1/services?limit=5&watch=true", signal });
  t.strictSame(notes, [{ host: "10.0.0.1:6443", method: "GET", code: 200, throttled: 0 }]);
  for await (const _ of body) t.fail("nothing was sent");
  t.equal(notes.length, 1);
});

t.test("a request without an answer is reported without a status", async (t) => {
  const refused = new ConnectionError("https://10.0.0.1:6443", "ECONNREFUSED", "refused", "connect");
  const { observed, notes } = setUp(() => Promise.reject(refused));
  await t.rejects(observed.send({ method: "GET", path: "/x", signal }), refused);
  t.strictSame(notes, [{ host: "10.0.0.1:6443", method: "GET", elapsed: 0, throttled: 0 }]);
});
