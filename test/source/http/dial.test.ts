// Tests how connections to the API server are opened: directly, through proxies, with TLS, and within their time limit.
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import t, { type Test } from "tap";
import type { Access } from "../../../src/source/access.ts";
import type { TlsMaterial } from "../../../src/source/credentials.ts";
import { Dialer, type Opened } from "../../../src/source/http/dial.ts";
import { systemTiming, type Timing } from "../../../src/source/timing.ts";
import { type ProxyWish, startProxy } from "../../support/connect-proxy.ts";
import { HandTiming } from "../../support/timing.ts";
import { listen, startServer, tlsText } from "../../support/tls-server.ts";

const NO_TLS: TlsMaterial = { authorities: undefined, certificate: undefined, key: undefined };
const TLS: TlsMaterial = { ...NO_TLS, authorities: tlsText("authority.pem") };
const NEVER = new AbortController().signal;

interface Wish {
  readonly access: Pick<Access, "server"> & Partial<Access>;
  readonly proxy?: string;
  readonly tls?: TlsMaterial;
  readonly http2?: boolean;
  readonly timing?: Timing;
}

function dialerFor({ access, proxy, tls = TLS, http2 = true, timing = systemTiming }: Wish): Dialer {
  const identity = { authorization: { type: "none" }, impersonation: {} } as const;
  const target = { access: { insecure: false, identity, ...access }, proxy: proxy ? new URL(proxy) : undefined, http2 };
  return new Dialer(target, tls, timing);
}

async function open(t: Test, wish: Wish, signal = NEVER): Promise<Opened> {
  const opened = await dialerFor(wish).open(signal);
  t.teardown(() => opened.socket.destroy());
  return opened;
}

async function protocolOf(t: Test, wish: Wish): Promise<string> {
  return (await open(t, wish)).protocol;
}

t.test("HTTP/2 is used where client and server offer it", async (t) => {
  const speaking = async (alpn: "h2" | "http/1.1" | "none", http2 = true) => {
    const { url } = await startServer(t, { certificate: "server", alpn });
    return await protocolOf(t, { access: { server: new URL(url) }, http2 });
  };
  t.equal(await speaking("h2"), "h2");
  t.equal(await speaking("h2", false), "http/1.1", "disabled by the client");
  t.equal(await speaking("http/1.1"), "http/1.1", "the server offers only HTTP/1.1");
  t.equal(await speaking("none"), "http/1.1", "the server does not know ALPN");
  const { url } = await startServer(t);
  t.equal(await protocolOf(t, { access: { server: new URL(url) } }), "http/1.1", "no TLS");
});

t.test("a server must be certified by a trusted authority, for the expected name", async (t) => {
  const named = await startServer(t, { certificate: "named" });
  const server = new URL(named.url);
  const byName = new URL(`https://localhost:${named.port}`);
  const good = await startServer(t, { certificate: "server" });
  const trusted: Readonly<Record<string, Wish>> = {
    "its name is expected": { access: { server, serverName: "api.cluster.test" } },
    "its address is expected": { access: { server: new URL(good.url), serverName: "127.0.0.1" } },
    "its host is expected": { access: { server: new URL(`https://localhost:${good.port}`) } },
    "nothing is checked": { access: { server, insecure: true } },
  };
  for (const [name, wish] of Object.entries(trusted)) t.equal(await protocolOf(t, wish), "h2", name);
  const stranger = { ...TLS, authorities: tlsText("stranger.pem") };
  const refused: Readonly<Record<string, readonly [Wish, string | RegExp]>> = {
    "an address that is not in it": [{ access: { server } }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    "a host that is not in it": [{ access: { server: byName } }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    "another name": [{ access: { server, serverName: "other.test" } }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    "another address": [
      { access: { server: new URL(good.url), serverName: "192.0.2.1" } },
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    "another authority": [{ access: { server: new URL(good.url) }, tls: stranger }, "SELF_SIGNED_CERT_IN_CHAIN"],
    "no authority but those of Node": [
      { access: { server: new URL(good.url) }, tls: NO_TLS },
      /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)$/,
    ],
  };
  for (const [name, [wish, code]] of Object.entries(refused)) {
    await t.rejects(open(t, wish), { name: "ConnectionError", code, phase: "connect" }, name);
  }
});

t.test("a proxy opens a tunnel to a server with TLS, and only that", async (t) => {
  const proxies: readonly (readonly [string, ProxyWish])[] = [
    ["http", {}],
    ["https", { tls: true }],
  ];
  for (const [scheme, wish] of proxies) {
    const proxy = await startProxy(t, { ...wish, authorization: `Basic ${btoa("user:pass word")}` });
    const url = (password: string) => `${scheme}://user:${password}@127.0.0.1:${proxy.port}`;
    const encrypted = await startServer(t, { certificate: "server" });
    const server = new URL(encrypted.url);
    t.equal(await protocolOf(t, { access: { server }, proxy: url("pass%20word") }), "h2", `${scheme} to https`);
    const plain = new URL("http://192.0.2.1");
    t.equal(await protocolOf(t, { access: { server: plain }, proxy: url("x") }), "http/1.1", `${scheme} to http`);
    t.strictSame(proxy.targets, [`127.0.0.1:${encrypted.port}`]);
    await t.rejects(
      open(t, { access: { server }, proxy: url("SECRET") }),
      {
        name: "ConnectionError",
        code: "407",
        phase: "connect",
        message: `proxy ${scheme}://127.0.0.1:${proxy.port}: cannot connect to 127.0.0.1:${server.port}: status 407`,
      },
      scheme,
    );
  }
});

t.test("a proxy that is not there or not trusted is an error", async (t) => {
  const { url } = await startServer(t, { certificate: "server" });
  const access = { server: new URL(url) };
  await t.rejects(open(t, { access, proxy: "http://127.0.0.1:1" }), { name: "ConnectionError", code: "ECONNREFUSED" });
  const encrypted = await startProxy(t, { tls: true });
  const proxy = `https://127.0.0.1:${encrypted.port}`;
  const refusal = { name: "ConnectionError", code: /UNABLE_TO|SELF_SIGNED/ };
  await t.rejects(open(t, { access, proxy, tls: { ...TLS, authorities: tlsText("stranger.pem") } }), refusal);
  await t.rejects(open(t, { access, proxy, tls: NO_TLS }), refusal);
  const byName = `https://localhost:${encrypted.port}`;
  t.equal(await protocolOf(t, { access, proxy: byName }), "h2", "its certificate contains localhost");
  t.strictSame(encrypted.targets.length, 1);
});

/** Waits for the first bytes of a TLS handshake. */
async function helloAt(server: Server): Promise<Socket> {
  const [socket]: Socket[] = await once(server, "connection");
  if (!socket) throw new Error("no connection");
  await once(socket, "data");
  return socket;
}

t.test("a server or proxy that accepts the connection and hangs is given up after 10 s", async (t) => {
  const silent = createServer();
  const port = await listen(t, silent);
  const proxy = await startProxy(t, { silent: true });
  const { url } = await startServer(t, { certificate: "server" });
  const cases: readonly (readonly [string, string | undefined, string])[] = [
    [`https://127.0.0.1:${port}`, undefined, `https://127.0.0.1:${port}: no TLS handshake within 10 s`],
    [url, `http://127.0.0.1:${proxy.port}`, `${url}: no answer from proxy http://127.0.0.1:${proxy.port} within 10 s`],
    [url, `https://127.0.0.1:${port}`, `${url}: no TLS handshake within 10 s`],
  ];
  for (const [server, by, message] of cases) {
    const timing = new HandTiming();
    const opening = open(t, { access: { server: new URL(server) }, timing, ...(by && { proxy: by }) });
    const failed = t.rejects(opening, { name: "ConnectionError", code: "ETIMEDOUT", phase: "connect", message });
    if (by?.startsWith("http:")) while (proxy.targets.length === 0) await new Promise(setImmediate);
    else await helloAt(silent);
    await timing.advance(10_000);
    await failed;
    t.equal(timing.next(), undefined, "no timer is left");
  }
});

t.test("opening ends when it is no longer wanted", async (t) => {
  const silent = createServer();
  const port = await listen(t, silent);
  const wish = { access: { server: new URL(`https://127.0.0.1:${port}`) } };
  const stop = new AbortController();
  const opening = open(t, wish, stop.signal);
  const failed = t.rejects(opening, { name: "ConnectionError", code: "ABORT_ERR" });
  const accepted = await helloAt(silent);
  const closed = once(accepted, "close");
  stop.abort();
  await Promise.all([failed, closed]);
  await t.rejects(open(t, wish, AbortSignal.abort()), { name: "ConnectionError" }, "before it began");
});

t.test("TCP keep-alive is on for plain and for TLS connections, directly and through a proxy", async (t) => {
  const plain = await startServer(t);
  const encrypted = await startServer(t, { certificate: "server" });
  const proxy = await startProxy(t);
  const wishes: readonly (readonly [number, Wish])[] = [
    [plain.port, { access: { server: new URL(plain.url) } }],
    [encrypted.port, { access: { server: new URL(encrypted.url) } }],
    [proxy.port, { access: { server: new URL(encrypted.url) }, proxy: `http://127.0.0.1:${proxy.port}` }],
  ];
  for (const [port, wish] of wishes) {
    const { socket } = await open(t, wish);
    const filter = `( dport = :${port} and sport = :${socket.localPort} )`;
    const timer = () => execFileSync("ss", ["-Htno", "state", "established", filter], { encoding: "utf8" });
    // While data is unacknowledged, ss shows the retransmission timer instead.
    while (/timer:\(on,/.test(timer())) await new Promise((resolve) => setTimeout(resolve, 20));
    // ss prints the time until the next probe, such as "9.9sec" or "950ms".
    const [, number = "", unit] = /timer:\(keepalive,([\d.]+)(ms|sec)?/.exec(timer()) ?? [];
    t.ok(number !== "" && (unit === "ms" || Number(number) <= 10), `port ${port}: ${timer()}`);
  }
});

const given = (name: string) => ({ type: "text", text: "", place: { source: "kubeconfig", field: name } }) as const;

t.test("certificates that cannot be used are named by their field, without their text", async (t) => {
  const server = new URL("https://10.0.0.1");
  const identity = { authorization: { type: "none" }, impersonation: {} } as const;
  const certificate = { certificate: given("certificate"), key: given("key") };
  const access = { server, authorities: given("authority"), identity: { ...identity, certificate } };
  const key = tlsText("worker-b.key");
  const cases: Readonly<Record<string, readonly [object, RegExp]>> = {
    "a key instead of an authority": [
      { authorities: key },
      /^kubeconfig: authority: contains no certificate in PEM format$/,
    ],
    "the key of another certificate": [
      { certificate: tlsText("worker-a.pem"), key },
      /^kubeconfig: certificate: client certificate and key cannot be used: .*key values mismatch/,
    ],
    "a key that is not in PEM format": [
      { certificate: tlsText("worker-a.pem"), key: "SECRET" },
      /^kubeconfig: certificate: client certificate and key cannot be used: /,
    ],
  };
  for (const [name, [material, message]] of Object.entries(cases)) {
    const make = () => dialerFor({ access, tls: { ...NO_TLS, ...material } });
    t.throws(make, { name: "InputError", message }, name);
    try {
      make();
    } catch (error) {
      t.notMatch(String(error), /SECRET|PRIVATE/, name);
    }
  }
  t.throws(() => dialerFor({ access: { server }, tls: { ...NO_TLS, authorities: "x" } }), {
    message: "contains no certificate in PEM format",
  });
  t.throws(() => dialerFor({ access: { server }, tls: { ...NO_TLS, certificate: "x", key: "x" } }), {
    message: /^client certificate/,
  });
});
