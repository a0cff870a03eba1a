// Tests which connection a request uses: HTTP/2 or HTTP/1.1, kept while the certificates stay the same.
import t, { type Test } from "tap";
import type { Access } from "../../../src/source/access.ts";
import type { ApiAnswer } from "../../../src/source/connection.ts";
import type { TlsMaterial } from "../../../src/source/credentials.ts";
import { type Connections, Transport } from "../../../src/source/http/transport.ts";
import { systemTiming } from "../../../src/source/timing.ts";
import { settle } from "../../support/clock.ts";
import { type ProxyWish, startProxy } from "../../support/connect-proxy.ts";
import { type ServerWish, startServer, tlsText } from "../../support/tls-server.ts";

function materialOf(name: string): TlsMaterial {
  return { authorities: tlsText("authority.pem"), certificate: tlsText(`${name}.pem`), key: tlsText(`${name}.key`) };
}

const WORKER_A = materialOf("worker-a");
const WORKER_B = materialOf("worker-b");
const BROKEN = { ...WORKER_A, key: WORKER_B.key };

function request(connections: Connections, path = "/"): Promise<ApiAnswer> {
  return connections.send({ method: "GET", path, signal: new AbortController().signal }, {});
}

async function readText({ body }: ApiAnswer): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  // A connection of HTTP/1.1 is idle only after this turn.
  await settle();
  return text;
}

async function ask(connections: Connections, path = "/"): Promise<string> {
  return readText(await request(connections, path));
}

function makeTransport(t: Test, url: string, proxy?: string) {
  const access: Access = {
    server: new URL(url),
    insecure: false,
    identity: { authorization: { type: "none" }, impersonation: {} },
  };
  const warnings: string[] = [];
  const target = { access, proxy: proxy === undefined ? undefined : new URL(proxy), http2: true };
  let opened = 0;
  const connected = () => opened++;
  const transport = new Transport(target, { timing: systemTiming, warn: (text) => warnings.push(text), connected });
  t.teardown(() => transport.close());
  return { transport, warnings, opened: () => opened };
}

async function arrange(t: Test, wish: ServerWish = {}) {
  const server = await startServer(t, { certificate: "server", ...wish });
  return { server, ...makeTransport(t, server.url) };
}

for (const alpn of ["h2", "http/1.1"] as const) {
  t.test(`${alpn}: a connection is used until the client certificate changes`, async (t) => {
    const { server, transport } = await arrange(t, { alpn });
    for (const tls of [WORKER_A, WORKER_A, WORKER_B, WORKER_B]) await ask(transport.use(tls));
    const seen = server.asked.map(({ as, connection }) => `${as} ${connection}`);
    t.strictSame(seen, ["worker-a 1", "worker-a 1", "worker-b 2", "worker-b 2"]);
  });

  t.test(`${alpn}: requests over the previous connections continue, and then these are closed`, async (t) => {
    const finish: (() => void)[] = [];
    const { server, transport } = await arrange(t, {
      alpn,
      answer: ({ path }, response) => {
        if (path === "/watch") {
          response.write("first ");
          finish.push(() => response.end("last"));
        } else response.end("ok");
      },
    });
    const previous = transport.use(WORKER_A);
    const watch = await request(previous, "/watch");
    const early = request(previous);
    t.equal(await ask(transport.use(WORKER_B)), "ok");
    t.equal(await readText(await early), "ok");
    for (const end of finish) end();
    t.equal(await readText(watch), "first last");
    while (server.sockets.size > 1) await settle();
    t.strictSame(server.asked.map(({ as }) => as).sort(), ["worker-a", "worker-a", "worker-b"]);
  });

  t.test(`${alpn}: a request that waits for its connection is sent although the certificate changes`, async (t) => {
    const { server, transport } = await arrange(t, { alpn });
    const early = request(transport.use(WORKER_A));
    const late = request(transport.use(WORKER_B));
    t.strictSame(await Promise.all([early.then(readText), late.then(readText)]), ["ok", "ok"]);
    t.strictSame(server.asked.map(({ as }) => as).sort(), ["worker-a", "worker-b"]);
    while (server.sockets.size > 1) await settle();
  });
}

t.test("certificates that do not fit are warned of once, and the previous ones stay in use", async (t) => {
  const { server, transport, warnings } = await arrange(t);
  t.throws(() => transport.use(BROKEN), { name: "InputError" }, "there are no previous ones");
  const good = transport.use(WORKER_A);
  t.equal(transport.use(BROKEN), good);
  t.equal(transport.use(BROKEN), good);
  t.match(warnings, [/key values mismatch.*; still using the previous certificates$/]);
  t.equal(warnings.length, 1);
  await ask(transport.use(WORKER_B));
  t.strictSame(
    server.asked.map(({ as }) => as),
    ["worker-b"],
  );
});

t.test("closing a transport that was never used does nothing", async (t) => {
  const { transport } = await arrange(t);
  transport.close();
  t.pass("closed");
});

t.test("requests at the same time share one HTTP/2 connection, or have one HTTP/1.1 connection each", async (t) => {
  for (const alpn of ["h2", "http/1.1"] as const) {
    const { server, transport, opened } = await arrange(t, { alpn, answer: (_asked, response) => response.write(".") });
    const connections = transport.use(WORKER_A);
    await Promise.all([request(connections), request(connections), request(connections)]);
    const number = alpn === "h2" ? 1 : 3;
    t.equal(new Set(server.asked.map(({ connection }) => connection)).size, number, alpn);
    t.equal(server.asked[0]?.httpVersion, alpn === "h2" ? "2.0" : "1.1");
    t.ok(opened() >= number && opened() <= 3, "each connection is announced");
  }
});

t.test("a server that offers HTTP/2 later is spoken to by HTTP/2 from its next connection", async (t) => {
  const old = await startServer(t, { certificate: "server", alpn: "http/1.1" });
  const proxy = await startProxy(t);
  const { transport } = makeTransport(t, old.url, `http://127.0.0.1:${proxy.port}`);
  const connections = transport.use(WORKER_A);
  await ask(connections);
  const upgraded = await startServer(t, { certificate: "server" });
  proxy.redirect(upgraded.port);
  for (const socket of old.sockets) socket.destroy();
  await settle();
  await ask(connections);
  await Promise.all([ask(connections), ask(connections)]);
  t.strictSame(
    [old, upgraded].map(({ asked }) => asked.map(({ httpVersion }) => httpVersion)),
    [["1.1"], ["2.0", "2.0", "2.0"]],
  );
  t.strictSame([...new Set(upgraded.asked.map(({ connection }) => connection))], [1]);
});

t.test("a request names its server and path, below the path of the server's URL", async (t) => {
  for (const certificate of ["server", undefined] as const) {
    const server = await startServer(t, certificate ? { certificate } : {});
    const { transport } = makeTransport(t, `${server.url}/k8s`);
    t.equal(await ask(transport.use(WORKER_A), "/api?x=1"), "ok");
    const host = `127.0.0.1:${server.port}`;
    t.match(server.asked, [{ path: "/k8s/api?x=1", headers: certificate ? { ":authority": host } : { host } }]);
  }
});

t.test("a server without TLS is asked for by its whole URL through a proxy", async (t) => {
  const proxies: readonly (readonly [string, ProxyWish])[] = [
    ["http", {}],
    ["https", { tls: true }],
  ];
  for (const [scheme, wish] of proxies) {
    const proxy = await startProxy(t, wish);
    const server = await startServer(t);
    const { transport } = makeTransport(t, `${server.url}/k8s`, `${scheme}://user:pass@127.0.0.1:${proxy.port}`);
    t.equal(await ask(transport.use(WORKER_A), "/api"), "ok", scheme);
    t.strictSame(proxy.targets, [`${server.url}/k8s/api`]);
    t.match(server.asked, [{ headers: { host: `127.0.0.1:${server.port}` } }]);
  }
});
