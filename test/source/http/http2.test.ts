// Tests requests over HTTP/2: liveness by PING, GOAWAY, reset and refused streams, and broken connections.

import type { IncomingMessage } from "node:http";
import type { ServerHttp2Session, ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import type { ApiAnswer, ApiRequest } from "../../../src/source/connection.ts";
import { Http2Connection } from "../../../src/source/http/http2.ts";
import type { Peer } from "../../../src/source/http/peer.ts";
import { Connections } from "../../../src/source/http/transport.ts";
import { settle } from "../../support/clock.ts";
import { startProxy } from "../../support/connect-proxy.ts";
import { HandTiming } from "../../support/timing.ts";
import { type ServerWish, socketOf, startServer, tlsText } from "../../support/tls-server.ts";

const TLS = { authorities: tlsText("authority.pem"), certificate: undefined, key: undefined };

/** A server, behind a proxy whose tunnels can be held, and requests to it with a clock that is moved by hand. */
async function arrange(t: Test, wish: ServerWish = {}) {
  const server = await startServer(t, { certificate: "server", ...wish });
  const sessions: ServerHttp2Session[] = [];
  let pings = 0;
  server.server.on("session", (session: ServerHttp2Session) => {
    sessions.push(session);
    session.on("ping", () => pings++);
    session.on("error", () => {});
  });
  const proxy = await startProxy(t);
  const timing = new HandTiming();
  const identity = { authorization: { type: "none" }, impersonation: {} } as const;
  const access = { server: new URL(server.url), insecure: false, identity };
  const target = { access, proxy: new URL(`http://127.0.0.1:${proxy.port}`), http2: true };
  const connections = new Connections(target, TLS, { timing, warn: t.fail, connected: () => {} });
  t.teardown(() => connections.destroy());
  const ask = (path = "/", more: Partial<ApiRequest> = {}): Promise<ApiAnswer> => {
    const request: ApiRequest = { method: "GET", path, signal: new AbortController().signal, ...more };
    return connections.send(request, { "x-many": ["a", "b"] });
  };
  return { server, sessions, proxy, timing, connections, ask, pings: () => pings };
}

async function readAll({ body }: ApiAnswer): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

/** Reads on in the background. */
function follow(answer: ApiAnswer) {
  const followed = { text: "", ended: false, error: undefined as unknown };
  void (async () => {
    try {
      for await (const chunk of answer.body) followed.text += Buffer.from(chunk).toString();
    } catch (error) {
      followed.error = error;
    }
    followed.ended = true;
  })();
  return followed;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await settle();
}

/** Lets 15 silent seconds pass: after two ticks a PING, and its answer before the third. */
async function passWithPing({ timing, pings }: { readonly timing: HandTiming; readonly pings: () => number }) {
  const before = pings();
  await timing.advance(10_000);
  await until(() => pings() > before);
  // The answer is on the way.
  await sleep(300);
  await timing.advance(5000);
}

function streamOf(request: IncomingMessage): ServerHttp2Stream {
  return Reflect.get(request, "stream");
}

t.test("requests and answers pass unchanged", async (t) => {
  const { server, ask } = await arrange(t, {
    answer: ({ path }, response) => {
      response.writeHead(path === "/" ? 429 : 201, { "Retry-After": "7", "Set-Cookie": ["a", "b"] });
      response.end(path === "/large" ? "x".repeat(3_000_000) : "slow down");
    },
  });
  const answer = await ask();
  t.equal(answer.status, 429);
  t.match(Object.fromEntries(answer.headers), { "retry-after": "7", "set-cookie": "a,b" });
  t.notOk(answer.headers.has(":status"));
  t.equal(await readAll(answer), "slow down");
  t.equal((await readAll(await ask("/post", { method: "POST", body: '{"kind":"Event"}' }))).length, 9);
  t.equal((await readAll(await ask("/large"))).length, 3_000_000);
  t.match(server.asked, [
    { method: "GET", path: "/", body: "", httpVersion: "2.0", headers: { "x-many": "a, b" } },
    { method: "POST", path: "/post", body: '{"kind":"Event"}' },
    { path: "/large", connection: 1 },
  ]);
});

t.test("a header that HTTP/1.1 could not transmit is not sent", async (t) => {
  const { connections, server } = await arrange(t);
  const { signal } = new AbortController();
  const request = { method: "GET", path: "/", signal } as const;
  await t.rejects(connections.send(request, { authorization: "Bearer a\nb" }), {
    name: "ConnectionError",
    code: "ERR_INVALID_CHAR",
    message: /authorization/,
  });
  t.equal(server.asked.length, 0);
});

t.test("flow-control windows let a server send 4 MB of a list at once, and 16 MB in all", async (t) => {
  const { sessions, ask } = await arrange(t);
  await readAll(await ask());
  await until(() => (sessions[0]?.state.remoteWindowSize ?? 0) > 15_000_000);
  t.equal(sessions[0]?.remoteSettings.initialWindowSize, 4 * 1024 * 1024);
  t.equal(sessions[0]?.remoteSettings.enablePush, false);
});

t.test("a silent connection is given up 10 s after an unanswered PING, and every request on it fails", async (t) => {
  const { server, proxy, timing, ask, pings } = await arrange(t, {
    answer: ({ path }, response) => path !== "/list" && response.write("event"),
  });
  const watches = [follow(await ask("/services")), follow(await ask("/slices"))];
  const list = ask("/list");
  await until(() => server.asked.length === 3 && watches.every(({ text }) => text === "event"));
  await timing.advance(5000);
  proxy.hold(true);
  const failed = t.rejects(list, {
    name: "ConnectionError",
    code: "ETIMEDOUT",
    phase: "request",
    message: `${server.url}: no answer to PING within 10 s`,
  });
  await timing.advance(10_000);
  t.equal(pings(), 0, "the PING does not arrive");
  await timing.advance(9_999);
  t.strictSame(
    watches.map(({ ended }) => ended),
    [false, false],
  );
  await timing.advance(1);
  await failed;
  await until(() => watches.every(({ ended }) => ended));
  for (const { error } of watches) t.match(error, { code: "ETIMEDOUT", phase: "answer", message: /no answer to PING/ });
  proxy.hold(false);
  const next = follow(await ask("/services"));
  await until(() => next.text === "event");
  t.equal(server.asked.at(-1)?.connection, 2, "the next request opens a new connection");
});

/** An established connection that accepts the first write and never completes it. */
function stuckSocket(): Socket {
  return Object.assign(new Duplex({ read() {}, write() {} }), { bytesRead: 0 }) as Socket;
}

t.test("a connection that accepts no data is given up within a second", async (t) => {
  const timing = new HandTiming();
  const peer: Peer = { server: "https://10.0.0.1", host: "10.0.0.1", prefix: "", headers: {}, timing };
  const connection = new Http2Connection(stuckSocket(), peer);
  t.teardown(() => connection.destroy());
  const request = { method: "GET", path: "/", signal: new AbortController().signal } as const;
  const first = t.rejects(connection.send(request, {}), { code: "ECONNRESET", message: /accepts no data for 1 s/ });
  // The first request is written; the second waits until that write is complete.
  await sleep(50);
  const second = t.rejects(connection.send(request, {}), { code: "ECONNRESET", message: /accepts no data for 1 s/ });
  await sleep(50);
  t.ok(connection.isOpen);
  await timing.advance(1000);
  await Promise.all([first, second]);
  t.notOk(connection.isOpen);
});

t.test("a connection that accepts no PING is given up before its answer is due", async (t) => {
  const timing = new HandTiming();
  const peer: Peer = { server: "https://10.0.0.1", host: "10.0.0.1", prefix: "", headers: {}, timing };
  const connection = new Http2Connection(stuckSocket(), peer);
  t.teardown(() => connection.destroy());
  await sleep(50);
  await timing.advance(10_000);
  t.ok(connection.isOpen);
  await timing.advance(5000);
  t.notOk(connection.isOpen);
});

t.test("a connection whose server answers PING is kept, however silent it is otherwise", async (t) => {
  const { server, timing, ask, pings } = await arrange(t, { answer: (_asked, response) => response.write("event") });
  const watch = follow(await ask());
  await until(() => watch.text === "event");
  await timing.advance(5000);
  for (let round = 1; round <= 3; round++) await passWithPing({ timing, pings });
  t.equal(watch.ended, false);
  t.equal(server.sockets.size, 1);
});

t.test("no PING is sent while the server sends something else", async (t) => {
  const send: (() => void)[] = [];
  const { timing, ask, pings } = await arrange(t, {
    answer: (_asked, response) => {
      response.write("e");
      send.push(() => response.write("e"));
    },
  });
  const watch = follow(await ask());
  await until(() => watch.text === "e");
  for (let round = 2; round < 12; round++) {
    await timing.advance(5000);
    for (const write of send) write();
    await until(() => watch.text.length === round);
  }
  await timing.advance(5000);
  t.equal(pings(), 0);
});

t.test("after GOAWAY requests under way continue, and new ones use a new connection", async (t) => {
  const finish: (() => void)[] = [];
  const { server, sessions, ask } = await arrange(t, {
    answer: ({ path }, response) => {
      if (path === "/watch") {
        response.write("first ");
        finish.push(() => response.end("last"));
      } else response.end("ok");
    },
  });
  const watch = follow(await ask("/watch"));
  await until(() => watch.text !== "");
  sessions[0]?.goaway();
  let connection = 1;
  while (connection === 1) {
    t.equal(await readAll(await ask()), "ok");
    connection = server.asked.at(-1)?.connection ?? 1;
  }
  t.equal(watch.ended, false);
  for (const end of finish) end();
  await until(() => watch.ended);
  t.strictSame([watch.text, watch.error], ["first last", undefined]);
  await until(() => server.sockets.size === 1);
});

t.test("a request that the server did not process is sent again, whatever its method", async (t) => {
  let refusals = 2;
  const { server, ask } = await arrange(t, {
    answer: (_asked, response, request) => {
      if (refusals-- > 0) streamOf(request).close(7);
      else response.end("ok");
    },
  });
  t.equal(await readAll(await ask("/", { method: "POST", body: "{}" })), "ok");
  t.equal(server.asked.length, 3);
  refusals = Number.POSITIVE_INFINITY;
  await t.rejects(ask(), { name: "ConnectionError", phase: "request", message: /error code NGHTTP2_REFUSED_STREAM/ });
  t.equal(server.asked.length, 7, "four attempts at most");
});

t.test("a stream that the server resets fails alone", async (t) => {
  const reset: (() => void)[] = [];
  const { server, ask } = await arrange(t, {
    answer: ({ path }, response, request) => {
      if (path === "/early") streamOf(request).close(2);
      else response.write("part");
      reset.push(() => streamOf(request).close(8));
    },
  });
  const watch = follow(await ask("/watch"));
  await t.rejects(ask("/early"), { name: "ConnectionError", phase: "request", message: /NGHTTP2_INTERNAL_ERROR/ });
  const list = follow(await ask("/list"));
  await until(() => list.text === "part");
  reset[2]?.();
  await until(() => list.ended);
  t.match(list.error, { name: "ConnectionError", code: "ECONNRESET", phase: "answer", message: /error code 8/ });
  t.equal(watch.ended, false);
  t.equal(server.sockets.size, 1);
});

t.test("a request that is aborted, or whose answer is not read to its end, ends only its own stream", async (t) => {
  const closed: string[] = [];
  const { server, ask } = await arrange(t, {
    answer: ({ path }, response, request) => {
      streamOf(request).on("close", () => closed.push(`${path} ${streamOf(request).rstCode}`));
      if (path !== "/never") response.write("part");
    },
  });
  const watch = follow(await ask("/watch"));
  const stop = new AbortController();
  const aborted = follow(await ask("/aborted", { signal: stop.signal }));
  const unanswered = ask("/never", { signal: stop.signal });
  await until(() => aborted.text === "part" && server.asked.length === 3);
  const failed = t.rejects(unanswered, { name: "ConnectionError", code: "ABORT_ERR" });
  stop.abort();
  await failed;
  await until(() => aborted.ended);
  t.match(aborted.error, { name: "ConnectionError", code: "ABORT_ERR" });
  for await (const _ of (await ask("/left")).body) break;
  await until(() => closed.length === 3);
  t.strictSame(closed.sort(), ["/aborted 8", "/left 8", "/never 8"], "reset with CANCEL");
  t.equal(watch.ended, false);
  await t.rejects(ask("/", { signal: AbortSignal.abort() }), { name: "ConnectionError", code: "ABORT_ERR" });
  t.equal(server.sockets.size, 1);
});

t.test("a connection that breaks during a body is a failure, not an end", async (t) => {
  const { server, ask } = await arrange(t, { answer: (_asked, response) => response.write("part") });
  const watch = follow(await ask());
  await until(() => watch.text === "part");
  for (const socket of server.sockets) socket.destroy();
  await until(() => watch.ended);
  t.match(watch.error, { name: "ConnectionError", code: "ECONNRESET", phase: "answer" });
});

t.test("a GET is sent again when the server closes a connection in use, a POST is not", async (t) => {
  let broken = 0;
  const { server, ask } = await arrange(t, {
    answer: ({ path }, response, request) => {
      if (path === "/" || broken-- <= 0) response.end("ok");
      else socketOf(request).destroy();
    },
  });
  await readAll(await ask());
  broken = 1;
  t.equal(await readAll(await ask("/again")), "ok");
  t.equal(server.asked.at(-1)?.connection, 2);
  broken = 1;
  await t.rejects(ask("/write", { method: "POST", body: "{}" }), {
    code: "ECONNRESET",
    phase: "request",
    name: "ConnectionError",
  });
  broken = 1;
  await t.rejects(ask("/first"), { code: "ECONNRESET", name: "ConnectionError" }, "a new connection proves nothing");
});

t.test("a server that accepts few requests at a time gets another connection", async (t) => {
  const { server, ask } = await arrange(t, {
    settings: { maxConcurrentStreams: 1 },
    answer: ({ path }, response) => (path === "/watch" ? response.write("event") : response.end("ok")),
  });
  await readAll(await ask());
  await settle();
  const watch = follow(await ask("/watch"));
  await until(() => watch.text === "event");
  t.equal(await readAll(await ask()), "ok");
  t.equal(watch.ended, false);
  t.strictSame(
    server.asked.map(({ connection }) => connection),
    [1, 1, 2],
  );
});

t.test("an error of the protocol ends the connection", async (t) => {
  const { sessions, ask } = await arrange(t, { answer: (_asked, response) => response.write("part") });
  const watch = follow(await ask());
  await until(() => watch.text === "part");
  sessions[0]?.goaway(11);
  await until(() => watch.ended);
  t.match(watch.error, { name: "ConnectionError", phase: "answer", message: /error code 11|ENHANCE_YOUR_CALM/ });
});

t.test("an answer that does not begin is given up after 75 s, while PING shows that the server is there", async (t) => {
  const { server, timing, ask, pings } = await arrange(t, {
    answer: ({ path }, response) => path === "/watch" && response.write("event"),
  });
  const watch = follow(await ask("/watch"));
  const hanging = t.rejects(ask("/list"), {
    name: "ConnectionError",
    code: "ETIMEDOUT",
    phase: "request",
    message: `${server.url}: no answer within 75 s`,
  });
  await until(() => server.asked.length === 2);
  await timing.advance(5000);
  for (let passed = 5; passed < 75; passed += 15) await passWithPing({ timing, pings });
  await hanging;
  t.equal(watch.ended, false);
});
