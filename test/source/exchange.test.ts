import t from "tap";
import { readBytes } from "../../src/source/exchange.ts";
import { RequestFailure } from "../../src/source/request-failure.ts";
import type { Fault } from "../support/api-server/faults.ts";
import { quickTiming } from "../support/api-server/followed-cluster.ts";
import { startApiServer } from "../support/api-server/server.ts";
import { connectTo } from "../support/api-server/test-connection.ts";

const never = new AbortController().signal;

/** What a GET of all Services comes to, the server being troubled so. */
async function ask(fault: Fault["trouble"] | undefined, signal = never): Promise<string> {
  const server = await startApiServer();
  if (fault) server.fault({ trouble: fault });
  const connection = connectTo(server.url);
  const question = { path: "/api/v1/services", signal, silence: 20_000 };
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of readBytes({ connection, timing: quickTiming() }, question)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  } catch (error) {
    if (error instanceof RequestFailure) return `${error.fault.type}: ${error.message}`;
    throw error;
  } finally {
    await server.close();
  }
}

const EMPTY = '{"kind":"ServiceList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[]}\n';

const ANSWERS: Readonly<Record<string, readonly [Fault["trouble"] | undefined, string | RegExp]>> = {
  "a body": [undefined, EMPTY],
  "a body in pieces": [{ type: "trickle", bytes: 20, every: 1 }, EMPTY],
  "a refusal": [{ type: "status", code: 403, reason: "Forbidden" }, "refused: 403 Forbidden: the test says 403"],
  "a body that is cut": [{ type: "cut", after: 30 }, /^lost: /],
  "a body that stalls": [{ type: "stall", after: 30 }, "lost: nothing came for 20 s"],
  "an answer that never comes": [{ type: "stall", after: 0 }, "lost: nothing came for 20 s"],
};

for (const [name, [fault, outcome]] of Object.entries(ANSWERS)) {
  t.test(name, async (t) => {
    const came = await ask(fault);
    if (typeof outcome === "string") t.equal(came, outcome);
    else t.match(came, outcome);
  });
}

t.test("nobody there", async (t) => {
  const connection = connectTo("http://127.0.0.1:1");
  const question = { path: "/", signal: never, silence: 20_000 };
  const asked = readBytes({ connection, timing: quickTiming() }, question).next();
  await t.rejects(asked, { fault: { type: "lost" }, message: "http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1" });
});

t.test("nobody asks any more", async (t) => {
  t.equal(await ask(undefined, AbortSignal.abort()), "lost: stopped");
});

for (const [name, body] of Object.entries({
  "in other words": "<html>",
  "without words": "",
  "in many words": "x".repeat(200_000),
})) {
  t.test(`a refusal ${name}, as of a proxy on the way`, async (t) => {
    const answer = { status: 502, headers: new Map([["retry-after", "3"]]), body: pieces(body) };
    const connection = { server: "", send: async () => answer, onConnected: () => () => {}, close: async () => {} };
    const question = { path: "/", signal: never, silence: 20_000 };
    const asked = readBytes({ connection, timing: quickTiming() }, question).next();
    await t.rejects(asked, { message: "502", fault: { type: "refused", status: 502, retryAfter: 3000 } });
  });
}

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text.slice(0, 100));
  yield Buffer.from(text.slice(100));
}

t.test("a body that ends without a word when its request does", async (t) => {
  const stop = new AbortController();
  const body = async function* () {
    yield Buffer.from("{");
    stop.abort();
  };
  const answer = { status: 200, headers: new Map(), body: body() };
  const connection = { server: "", send: async () => answer, onConnected: () => () => {}, close: async () => {} };
  const question = { path: "/", signal: stop.signal, silence: 20_000 };
  const bytes = readBytes({ connection, timing: quickTiming() }, question);
  await bytes.next();
  await t.rejects(bytes.next(), { message: "stopped" });
});
