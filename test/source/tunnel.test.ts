import { get } from "node:https";
import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import { proxyHeaders, TunnelAgent, type Way } from "../../src/source/tunnel.ts";
import { type ProxyWish, startProxy } from "../support/connect-proxy.ts";
import { startServer, type TestServer, tlsText } from "../support/tls-server.ts";

const CA = { ca: tlsText("authority.pem") };

function wayTo(server: TestServer, proxy: string, more: Partial<Way> = {}): Way {
  return {
    proxy: new URL(proxy),
    proxyTls: CA,
    server: new URL(server.url),
    tls: CA,
    limit: 5000,
    probe: 30_000,
    ...more,
  };
}

function ask(t: Test, way: Way): Promise<string> {
  const agent = new TunnelAgent({ keepAlive: true }, way);
  t.teardown(() => agent.destroy());
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = way.server;
    get({ agent, host, port, path: "/" }, (response) => resolve(text(response))).on("error", reject);
  });
}

async function arrange(t: Test, wish: ProxyWish = {}) {
  return { server: await startServer(t, { certificate: "server" }), proxy: await startProxy(t, wish) };
}

t.test("the server is spoken to by TLS through the tunnel", async (t) => {
  const { server, proxy } = await arrange(t);
  t.equal(await ask(t, wayTo(server, `http://127.0.0.1:${proxy.port}`)), "ok");
  t.strictSame(proxy.targets, [`127.0.0.1:${server.port}`]);
});

t.test("a proxy that is itself reached by TLS and wants to know us", async (t) => {
  const authorization = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
  const { server, proxy } = await arrange(t, { tls: true, authorization });
  t.equal(await ask(t, wayTo(server, `https://user:pass%20word@127.0.0.1:${proxy.port}`)), "ok");
  await t.rejects(ask(t, wayTo(server, `https://user:SECRET@127.0.0.1:${proxy.port}`)), {
    name: "ConnectionError",
    code: "407",
    message: `proxy https://127.0.0.1:${proxy.port}: refuses to connect to 127.0.0.1:${server.port}: status 407`,
  });
});

t.test("a proxy that is not there, says nothing, or is not trusted", async (t) => {
  const { server, proxy } = await arrange(t, { silent: true });
  await t.rejects(ask(t, wayTo(server, "http://127.0.0.1:1")), { code: "ECONNREFUSED" });
  await t.rejects(ask(t, wayTo(server, `http://127.0.0.1:${proxy.port}`, { limit: 50 })), {
    name: "ConnectionError",
    message: `proxy http://127.0.0.1:${proxy.port}: no answer in time`,
  });
  const encrypted = await startProxy(t, { tls: true });
  const way = wayTo(server, `https://127.0.0.1:${encrypted.port}`, { proxyTls: { ca: tlsText("stranger.pem") } });
  await t.rejects(ask(t, way), { code: /UNABLE_TO|SELF_SIGNED/ });
  t.strictSame(encrypted.targets, []);
});

t.test("who we are to a proxy", async (t) => {
  t.strictSame(proxyHeaders(new URL("http://p")), {});
  t.strictSame(proxyHeaders(new URL("http://user@p")), { "proxy-authorization": "Basic dXNlcjo=" });
});
