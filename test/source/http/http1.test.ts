// Tests requests over HTTP/1.1: connections kept and sent again, time limits, and answers that break off.
import { type AddressInfo, createServer as createRawServer, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import t, { type Test } from "tap";
import type { ApiAnswer, ApiRequest } from "../../../src/source/connection.ts";
import { Connections } from "../../../src/source/http/transport.ts";
import { systemTiming, type Timing } from "../../../src/source/timing.ts";
import { settle } from "../../support/clock.ts";
import { HandTiming } from "../../support/timing.ts";
import { type ServerWish, startServer, type TestServer } from "../../support/tls-server.ts";

const NO_TLS = { authorities: undefined, certificate: undefined, key: undefined };

function speakerTo(t: Test, server: string, timing: Timing = systemTiming) {
  const identity = { authorization: { type: "none" }, impersonation: {} } as const;
  const target = { access: { server: new URL(server), insecure: false, identity }, proxy: undefined, http2: true };
  const connections = new Connections(target, NO_TLS, { timing, warn: t.fail, connected: () => {} });
  t.teardown(() => connections.destroy());
  return (more: Partial<ApiRequest> = {}) => {
    const request: ApiRequest = { method: "GET", path: "/", signal: new AbortController().signal, ...more };
    return connections.send(request, { "x-many": ["a", "b"] });
  };
}

async function readAll({ body }: ApiAnswer): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function arrange(
  t: Test,
  wish: ServerWish = {},
): Promise<{ server: TestServer; ask: ReturnType<typeof speakerTo> }> {
  const server = await startServer(t, wish);
  return { server, ask: speakerTo(t, server.url) };
}

/** A server that does with the bytes of a connection what a test says; the count tells which connection it is, from 1. */
async function startRaw(t: Test, onData: (socket: Socket, count: number) => void): Promise<number> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    const mine = ++count;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => onData(socket, mine));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

t.test("a request arrives as it was meant, an answer as it was given", async (t) => {
  const { server, ask } = await arrange(t, {
    answer: (_asked, response) => {
      response.writeHead(429, { "Retry-After": "7", "Set-Cookie": ["a", "b"] });
      response.end("slow down");
    },
  });
  const answer = await ask({ path: "/api/v1/services?watch=true" });
  t.equal(answer.status, 429);
  t.match(Object.fromEntries(answer.headers), { "retry-after": "7", "set-cookie": "a,b" });
  t.equal(await readAll(answer), "slow down");
  await readAll(await ask({ method: "POST", body: '{"kind":"Event"}' }));
  await readAll(await ask({ method: "PATCH", body: "{}" }));
  t.match(server.asked, [
    { method: "GET", path: "/api/v1/services?watch=true", body: "", headers: { "x-many": "a, b" } },
    { method: "POST", body: '{"kind":"Event"}' },
    { method: "PATCH", body: "{}" },
  ]);
});

t.test("connections are used again once a body is read, and ended when it is left", async (t) => {
  const { server, ask } = await arrange(t, {
    answer: ({ path }, response) => (path === "/endless" ? response.write("piece") : response.end("ok")),
  });
  for (let round = 0; round < 20; round++) {
    await readAll(await ask());
    await settle();
  }
  t.strictSame([...new Set(server.asked.map(({ connection }) => connection))], [1]);
  const ended = new Promise((resolve) => server.server.once("request", ({ socket }) => socket.once("close", resolve)));
  for await (const _ of (await ask({ path: "/endless" })).body) break;
  await ended;
  t.pass("the server sees the end");
});

t.test("a signal ends a request at any time, and does not touch the connection of another", async (t) => {
  const { server, ask } = await arrange(t, {
    answer: ({ path }, response) => {
      if (path === "/stream") response.write("piece");
      if (path === "/") response.end("ok");
    },
  });
  const early = new AbortController();
  const unanswered = ask({ path: "/never", signal: early.signal });
  await settle();
  early.abort();
  await t.rejects(unanswered, { name: "ConnectionError", code: "ABORT_ERR" });
  await t.rejects(
    ask({ signal: AbortSignal.abort() }),
    { name: "ConnectionError", code: "ABORT_ERR" },
    "before it is sent",
  );

  const late = new AbortController();
  const reading = readAll(await ask({ path: "/stream", signal: late.signal }));
  await settle();
  late.abort();
  await t.rejects(reading, { name: "ConnectionError" }, "while its body is read");

  const done = new AbortController();
  await readAll(await ask({ signal: done.signal }));
  await settle();
  const next = await ask({ path: "/stream" });
  done.abort();
  t.equal(server.asked.at(-2)?.connection, server.asked.at(-1)?.connection, "one connection for both");
  for await (const chunk of next.body) {
    t.equal(Buffer.from(chunk).toString(), "piece");
    break;
  }
});

t.test("many requests under one signal leave nothing behind with it", async (t) => {
  const { ask } = await arrange(t);
  const warnings: Error[] = [];
  const listener = (warning: Error) => warnings.push(warning);
  process.on("warning", listener);
  t.teardown(() => process.off("warning", listener));
  const { signal } = new AbortController();
  for (let round = 0; round < 30; round++) await readAll(await ask({ signal }));
  await settle();
  t.strictSame(warnings, []);
});

t.test("a connection that the server closed meanwhile costs a reader nothing", async (t) => {
  const port = await startRaw(t, (socket, count) => {
    // The first connection answers once, and is reset by the second request.
    if (socket.bytesWritten > 0 && count === 1) socket.resetAndDestroy();
    else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const ask = speakerTo(t, `http://127.0.0.1:${port}`);
  t.equal(await readAll(await ask()), "ok");
  await settle();
  t.equal(await readAll(await ask()), "ok", "sent again over another");
});

t.test("what is written is not sent twice", async (t) => {
  const port = await startRaw(t, (socket) => {
    if (socket.bytesWritten > 0) socket.resetAndDestroy();
    else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  });
  const ask = speakerTo(t, `http://127.0.0.1:${port}`);
  await readAll(await ask());
  await settle();
  await t.rejects(ask({ method: "POST", body: "{}" }), { name: "ConnectionError", code: "ECONNRESET" });
});

t.test("servers that are not there, close, reset or talk nonsense", async (t) => {
  const cases: Readonly<Record<string, readonly [(socket: Socket) => void, object]>> = {
    "closes at once": [(socket) => socket.end(), { code: "ECONNRESET" }],
    resets: [(socket) => socket.resetAndDestroy(), { code: "ECONNRESET" }],
    "speaks another protocol": [(socket) => socket.end("SSH-2.0\r\n"), { code: /^HPE_/ }],
  };
  for (const [name, [onData, failure]] of Object.entries(cases)) {
    const ask = speakerTo(t, `http://127.0.0.1:${await startRaw(t, onData)}`);
    await t.rejects(ask(), { name: "ConnectionError", ...failure }, name);
  }
  await t.rejects(speakerTo(t, "http://127.0.0.1:1")(), {
    name: "ConnectionError",
    code: "ECONNREFUSED",
    message: "http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1",
  });
});

t.test("a body that is cut short is a failure, not an end", async (t) => {
  const heads: Readonly<Record<string, string>> = {
    "by length": "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
    "by chunks": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
  };
  for (const [name, head] of Object.entries(heads)) {
    const port = await startRaw(t, (socket) => socket.write(head, () => setTimeout(20).then(() => socket.destroy())));
    const answer = await speakerTo(t, `http://127.0.0.1:${port}`)();
    await t.rejects(readAll(answer), { name: "ConnectionError" }, name);
    const late = await speakerTo(t, `http://127.0.0.1:${port}`)();
    await setTimeout(60);
    await t.rejects(readAll(late), { name: "ConnectionError" }, `${name}, read later`);
  }
});

t.test("a server that sends no answer is given up after 30 s", async (t) => {
  const timing = new HandTiming();
  let hear = () => {};
  const heard = new Promise<void>((resolve) => {
    hear = resolve;
  });
  const server = `http://127.0.0.1:${await startRaw(t, () => hear())}`;
  const message = `${server}: no answer within 30 s`;
  const failing = t.rejects(speakerTo(t, server, timing)(), {
    name: "ConnectionError",
    code: "ETIMEDOUT",
    phase: "request",
    message,
  });
  await heard;
  await timing.advance(30_000);
  await failing;
});

t.test("an answer may come at any pace once it began", async (t) => {
  const timing = new HandTiming();
  const server = await startServer(t, { answer: (_asked, response) => response.write("piece") });
  const { body } = await speakerTo(t, server.url, timing)();
  await timing.advance(3_600_000);
  for await (const chunk of body) {
    t.equal(Buffer.from(chunk).toString(), "piece");
    break;
  }
});
