// Does everybody get his answer, and nobody more than his share?

import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import t, { type Test } from "tap";
import { type Answerer, plainText } from "../../src/serve/answer.ts";
import { listen } from "../../src/serve/http-server.ts";
import { ask, freePort, ipv6Skip, occupy, speak, statusOf } from "../support/http-client.ts";
import { keptLog } from "../support/kept-log.ts";

async function setUp(t: Test, answer: Answerer, host = "127.0.0.1") {
  const { logs, lines } = keptLog();
  const port = await freePort();
  const server = await listen({ place: { host, port }, answer, log: logs("servers.ts"), sweep: 100 });
  t.teardown(() => server.close());
  return { port, lines, server };
}

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
  t.match(lines, [/^"Cannot answer" path="\/bad" err="Error: no idea"$/]);
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

t.test("a client that does not get on with its question is told off and cut off", { timeout: 30_000 }, async (t) => {
  const { port } = await setUp(t, echo);
  const begin = Date.now();
  const slow = await speak(port, "GET / HTTP/1.1\r\nHost: n1\r\n");
  const drip = setInterval(() => slow.socket.write("a: b\r\n"), 500);
  t.teardown(() => clearInterval(drip));
  const half = await speak(port, "PUT / HTTP/1.1\r\nHost: n1\r\nContent-Length: 5\r\n\r\n1");
  t.match(await slow.answer, /^HTTP\/1.1 408 Request Timeout\r\n/);
  t.ok(Date.now() - begin < 8_000, "a head within 5 s");
  t.match(await half.answer, /^HTTP\/1.1 408 Request Timeout\r\n/);
  t.ok(Date.now() - begin < 13_000, "all of it within 10 s");
});

t.test("more connections than there may be are closed at once, until others end", async (t) => {
  const { port } = await setUp(t, echo);
  const open = await Promise.all(Array.from({ length: 256 }, () => speak(port, "")));
  t.equal(await statusOf({ port }), "ECONNRESET");
  for (const { socket } of open) socket.destroy();
  await wait(100);
  t.equal(await statusOf({ port }), 200);
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
    import { listen } from ${JSON.stringify(fileURLToPath(new URL("../../src/serve/http-server.ts", import.meta.url)))};
    const answer = () => ({ status: 200, headers: {}, body: "ok" });
    const server = await listen({ place: { host: "127.0.0.1", port: ${port} }, answer, log: {} });
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
  await t.rejects(listen({ place: { host: "127.0.0.1", port }, answer: echo, log }), { code: "EADDRINUSE" });
});

t.test("everywhere means both families", { skip: await ipv6Skip() }, async (t) => {
  const { port } = await setUp(t, echo, "everywhere");
  t.equal(await statusOf({ port, host: "127.0.0.1" }), 200);
  t.equal(await statusOf({ port, host: "::1" }), 200);
});

t.test("the wildcard of IPv6 alone leaves IPv4 to others", { skip: await ipv6Skip() }, async (t) => {
  const log = keptLog().logs("servers.ts");
  const port = await freePort();
  const six = await listen({ place: { host: "::", port, ipv6Only: true }, answer: () => plainText("6"), log });
  const four = await listen({ place: { host: "0.0.0.0", port, ipv6Only: true }, answer: () => plainText("4"), log });
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
