// Tests of the HTTP server: requests, answers, and its limits on connections and slow clients.

import { spawn, spawnSync } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { type Answerer, plainText } from "../../src/serve/answer.ts";
import { Connections, listen } from "../../src/serve/http-server.ts";
import { systemClock } from "../../src/sync/schedule.ts";
import { HandClock } from "../support/clock.ts";
import { ask, freePort, ipv6Skip, occupy, speak, statusOf } from "../support/http-client.ts";
import { keptLog } from "../support/kept-log.ts";

interface Setting {
  readonly host?: string;
  readonly keepAlive?: boolean;
  readonly connections?: Connections;
}

async function setUp(t: Test, answer: Answerer, setting: Setting = {}) {
  const { host = "127.0.0.1", keepAlive = true, connections = connectionsOf(FILES) } = setting;
  const { logs, lines } = keptLog();
  const port = await freePort();
  const server = await listen({ place: { host, port }, answer, log: logs("servers.ts"), connections, keepAlive });
  t.teardown(() => server.close());
  return { port, lines, server };
}

/** A limit of open files that leaves room for as many connections as there may ever be. */
const FILES = 20_000;

function connectionsOf(maxOpenFiles: number): Connections {
  return new Connections({ maxOpenFiles, clock: systemClock });
}

const MODULE = fileURLToPath(new URL("../../src/serve/http-server.ts", import.meta.url));

/** Says what it was asked. */
const echo: Answerer = async ({ method, path, query, accept, peer, body }) => {
  const text = await body(8);
  return plainText(JSON.stringify([method, path, [...query], accept ?? null, peer, text ?? null]));
};

const QUESTIONS = [
  { name: "a path", asked: { path: "/healthz" }, heard: ["GET", "/healthz", [], null] },
  {
    name: "a query",
    asked: { path: "/a?b=c%20d&b=e&f?g" },
    heard: [
      "GET",
      "/a",
      [
        ["b", "c d"],
        ["b", "e"],
        ["f?g", ""],
      ],
      null,
    ],
  },
  { name: "two slashes", asked: { path: "//a" }, heard: ["GET", "//a", [], null] },
  { name: "an absolute address", asked: { path: "http://n1:10256/a?b" }, heard: ["GET", "/a", [["b", ""]], null] },
  { name: "any method", asked: { method: "OPTIONS", path: "*" }, heard: ["OPTIONS", "*", [], null] },
  { name: "an Accept header", asked: { headers: { accept: "a/b" } }, heard: ["GET", "/", [], "a/b"] },
];

for (const { name, asked, heard } of QUESTIONS) {
  t.test(`${name} is understood`, async (t) => {
    const { port } = await setUp(t, echo);
    t.strictSame(JSON.parse((await ask({ port, ...asked })).body), [...heard, "127.0.0.1", ""]);
  });
}

t.test("the head of an answer", async (t) => {
  const { port } = await setUp(t, () => plainText("ü"));
  const { answer } = await speak(port, "GET / HTTP/1.1\r\nHost: n1\r\nConnection: close\r\n\r\n");
  t.match(
    (await answer).replace(/Date: .*\r\n/, ""),
    [
      "HTTP/1.1 200 OK",
      "Content-Type: text/plain; charset=utf-8",
      "X-Content-Type-Options: nosniff",
      "Content-Length: 2",
      "Connection: close",
      "",
      "ü",
    ].join("\r\n"),
  );
});

t.test("HEAD has no body", async (t) => {
  const { port } = await setUp(t, () => plainText("ok"));
  t.match(await ask({ port, method: "HEAD" }), { status: 200, body: "" });
});

t.test("what is sent along, up to a limit, beyond which there is still an answer", async (t) => {
  const { port } = await setUp(t, echo);
  const sent = async (body: string) => JSON.parse((await ask({ port, method: "PUT", body })).body).at(-1);
  t.equal(await sent("12345678"), "12345678");
  t.equal(await sent("123456789"), null);
  t.equal(await sent("x".repeat(300_000)), null);
});

t.test("an answer that fails is an error of the server's, logged, and the next one works", async (t) => {
  const { port, lines } = await setUp(t, ({ path }) => {
    if (path === "/bad") throw new Error("no idea");
    return plainText("ok");
  });
  t.match(await ask({ port, path: "/bad" }), { status: 500, body: "internal error\n" });
  t.match(lines, [/^"Cannot answer a request" path="\/bad" err="Error: no idea"$/]);
  t.equal(await statusOf({ port }), 200);
});

t.test("a head that is too long", async (t) => {
  const { port } = await setUp(t, echo);
  t.equal(await statusOf({ port, headers: { a: "x".repeat(20_000) } }), 431);
});

t.test("what is no HTTP", async (t) => {
  const { port } = await setUp(t, echo);
  const { answer } = await speak(port, "hello\r\n\r\n");
  t.match(await answer, /^HTTP\/1.1 400 Bad Request\r\n/);
});

t.test("a slow header or a slow body is answered with 408 and ends the connection", { timeout: 60_000 }, async (t) => {
  const { port } = await setUp(t, echo);
  const silent = await speak(port, "");
  const slow = await speak(port, "GET / HTTP/1.1\r\nHost: n1\r\n");
  const drip = setInterval(() => slow.socket.write("a: b\r\n"), 500);
  t.teardown(() => clearInterval(drip));
  const half = await speak(port, "PUT / HTTP/1.1\r\nHost: n1\r\nContent-Length: 5\r\n\r\n1");
  for (const { answer } of [silent, slow, half]) t.match(await answer, /^HTTP\/1.1 408 Request Timeout\r\n/);
});

t.test("a server without keep-alive says so and ends the connection with its answer", async (t) => {
  const { port } = await setUp(t, () => plainText("ok"), { keepAlive: false });
  const { answer } = await speak(port, "GET / HTTP/1.1\r\nHost: n1\r\n\r\n");
  t.match(await answer, /\r\nConnection: close\r\n(.|\r|\n)*ok$/);
});

/** Idle connections, from an own address of loopback each so many; `closed` resolves when the server ends it. */
async function openIdle(t: Test, port: number, count: number, addressOf = (_index: number) => "127.0.0.1") {
  const open: { readonly socket: Socket; readonly closed: Promise<unknown> }[] = [];
  for (let index = 0; index < count; index++) {
    const socket = connect({ port, host: "127.0.0.1", localAddress: addressOf(index) });
    t.teardown(() => socket.destroy());
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.resume().on("close", resolve));
    await once(socket, "connect");
    open.push({ socket, closed });
  }
  return open;
}

t.test("above the limit of one peer its oldest idle connections are closed", async (t) => {
  const { port } = await setUp(t, echo);
  const other = await openIdle(t, port, 1, () => "127.0.0.2");
  const open = await openIdle(t, port, 66);
  t.equal(await statusOf({ port }), 200);
  await Promise.all(open.slice(0, 2).map(({ closed }) => closed));
  t.strictSame(
    open.map(({ socket }) => socket.destroyed),
    open.map((_, index) => index < 2),
  );
  t.equal(other[0]?.socket.destroyed, false, "older, but of another peer");
});

t.test("above the limit of all peers the oldest idle connections of any are closed", async (t) => {
  const connections = connectionsOf(FILES);
  const [one, two] = [await setUp(t, echo, { connections }), await setUp(t, echo, { connections })];
  const open = await openIdle(t, one.port, 512, (index) => `127.0.1.${1 + (index % 16)}`);
  await openIdle(t, two.port, 1, () => "127.0.2.1");
  t.equal(await statusOf(two), 200, "at another server of the same process");
  await open[0]?.closed;
  t.equal(open.filter(({ socket }) => socket.destroyed).length, 1);
});

t.test("a request that is being answered is cut off only where no connection is idle", async (t) => {
  const requests = new EventEmitter();
  const { port } = await setUp(t, ({ path }) => {
    if (path !== "/slow") return plainText("ok");
    requests.emit("slow");
    return new Promise(() => {});
  });
  const askSlowly = async ({ socket }: { readonly socket: Socket }) => {
    const received = once(requests, "slow");
    socket.write("GET /slow HTTP/1.1\r\nHost: n1\r\n\r\n");
    await received;
  };
  const busy = await openIdle(t, port, 64);
  for (const one of busy) await askSlowly(one);
  const idle = await openIdle(t, port, 2);
  t.equal(await statusOf({ port }), 200);
  await Promise.all(idle.map(({ closed }) => closed));
  t.notOk(busy.some(({ socket }) => socket.destroyed));
  for (const one of await openIdle(t, port, 1)) await askSlowly(one);
  t.equal(await statusOf({ port }), 200);
  await busy[0]?.closed;
  t.equal(busy.filter(({ socket }) => socket.destroyed).length, 1);
});

t.test("a new connection has its time, unless there are more than files allow", async (t) => {
  const clock = new HandClock();
  const { port } = await setUp(t, echo, { connections: new Connections({ maxOpenFiles: 200, clock }) });
  const open = await openIdle(t, port, 101);
  await open[0]?.closed;
  t.equal(open.filter(({ socket }) => socket.destroyed).length, 1, "half of the files are connections");
  await clock.advance(100);
  const [late] = await openIdle(t, port, 1);
  await open[1]?.closed;
  await clock.advance(150);
  // Half of the 50 connections that there may be: the others of this peer are closed, and only the late one is young.
  await open[76]?.closed;
  t.strictSame(
    open.map(({ socket }) => socket.destroyed),
    open.map((_, index) => index < 77),
  );
  t.equal(late?.socket.destroyed, false);
  t.equal(await statusOf({ port }), 200);
});

t.test("where files allow no more and all requests are being answered, a further connection is closed", async (t) => {
  const clock = new HandClock();
  const requests = new EventEmitter();
  const answer: Answerer = () => {
    requests.emit("received");
    return new Promise(() => {});
  };
  const { port } = await setUp(t, answer, { connections: new Connections({ maxOpenFiles: 8, clock }) });
  const busy = await openIdle(t, port, 4);
  for (const { socket } of busy) {
    const received = once(requests, "received");
    socket.write("GET / HTTP/1.1\r\nHost: n1\r\n\r\n");
    await received;
  }
  const [further] = await openIdle(t, port, 1);
  await further?.closed;
  t.notOk(busy.some(({ socket }) => socket.destroyed));
});

t.test("connections that end are not counted any more", async (t) => {
  const { port } = await setUp(t, echo);
  const [kept] = await openIdle(t, port, 1);
  for (let round = 0; round < 3; round++) {
    const open = await openIdle(t, port, 60);
    for (const { socket } of open) socket.destroy();
    t.equal(await statusOf({ port }), 200);
    await wait(100);
  }
  t.equal(kept?.socket.destroyed, false);
});

t.test("a process that may open 64 files answers while 500 connections are held open", async (t) => {
  const port = await freePort();
  const script = `
    import { Connections, listen } from ${JSON.stringify(MODULE)};
    const answer = () => ({ status: 200, headers: {}, body: "ok" });
    const place = { host: "127.0.0.1", port: ${port} };
    const clock = { now: () => performance.now(), after: (delay, callback) => void setTimeout(callback, delay) };
    const connections = new Connections({ maxOpenFiles: 64, clock });
    await listen({ place, answer, log: {}, connections, keepAlive: false });
    process.stdout.write("listening");`;
  const args = ["--nofile=64:64", process.execPath, "--import=tsx", "--input-type=module", "-e", script];
  const server = spawn("prlimit", args, { stdio: ["ignore", "pipe", "inherit"] });
  t.teardown(() => server.kill("SIGKILL"));
  await once(server.stdout, "data");
  await openIdle(t, port, 500, (index) => `127.0.1.${1 + (index % 20)}`);
  for (let probe = 0; probe < 5; probe++) t.equal(await statusOf({ port }), 200);
});

t.test("closing ends every connection, idle or in the middle of an answer", async (t) => {
  const { port, server } = await setUp(t, ({ path }) => (path === "/slow" ? new Promise(() => {}) : plainText("ok")));
  const idle = await speak(port, "GET / HTTP/1.1\r\nHost: n1\r\n\r\n");
  await once(idle.socket, "data");
  const busy = await speak(port, "GET /slow HTTP/1.1\r\nHost: n1\r\n\r\n");
  await server.close();
  t.match(await idle.answer, /ok$/);
  t.equal(await busy.answer, "");
  t.equal(await statusOf({ port }), "ECONNREFUSED");
});

t.test("nothing keeps a process alive once its server is closed", async (t) => {
  const port = await freePort();
  const script = `
    import { get } from "node:http";
    import { Connections, listen } from ${JSON.stringify(MODULE)};
    const answer = () => ({ status: 200, headers: {}, body: "ok" });
    const connections = new Connections({ maxOpenFiles: 1024, clock: { now: () => 0 } });
    const place = { host: "127.0.0.1", port: ${port} };
    const server = await listen({ place, answer, log: {}, connections, keepAlive: true });
    const got = await new Promise((resolve) => get("http://127.0.0.1:${port}", resolve));
    got.resume();
    await server.close();
    process.stdout.write("closed");`;
  const args = ["--import=tsx", "--input-type=module", "-e", script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", timeout: 20_000 });
  t.match({ status, stdout, stderr }, { status: 0, stdout: "closed" });
});

t.test("a port that is taken", async (t) => {
  const { port, release } = await occupy();
  t.teardown(release);
  const log = keptLog().logs("servers.ts");
  const place = { host: "127.0.0.1", port };
  const listening = listen({ place, answer: echo, log, connections: connectionsOf(FILES), keepAlive: true });
  await t.rejects(listening, { code: "EADDRINUSE" });
});

t.test("everywhere means both families", { skip: await ipv6Skip() }, async (t) => {
  const { port } = await setUp(t, echo, { host: "everywhere" });
  t.equal(await statusOf({ port, host: "127.0.0.1" }), 200);
  t.equal(await statusOf({ port, host: "::1" }), 200);
});

t.test("the wildcard of IPv6 alone leaves IPv4 to others", { skip: await ipv6Skip() }, async (t) => {
  const log = keptLog().logs("servers.ts");
  const port = await freePort();
  const rest = { log, connections: connectionsOf(FILES), keepAlive: true };
  const place = { port, ipv6Only: true };
  const six = await listen({ ...rest, place: { ...place, host: "::" }, answer: () => plainText("6") });
  const four = await listen({ ...rest, place: { ...place, host: "0.0.0.0" }, answer: () => plainText("4") });
  t.equal((await ask({ port, host: "::1" })).body, "6");
  t.equal((await ask({ port, host: "127.0.0.1" })).body, "4");
  await Promise.all([six.close(), four.close()]);
});

t.test("a client that goes away in the middle harms nobody", async (t) => {
  const { port } = await setUp(t, echo);
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write("PUT / HTTP/1.1\r\nHost: n1\r\nContent-Length: 5\r\n\r\n1");
  await wait(50);
  socket.resetAndDestroy();
  await wait(50);
  t.equal(await statusOf({ port }), 200);
});
