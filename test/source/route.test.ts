import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import type { Access } from "../../src/source/access.ts";
import { makeRoute } from "../../src/source/route.ts";
import { type ProxyWish, startProxy } from "../support/connect-proxy.ts";
import { startServer, tlsText } from "../support/tls-server.ts";

const TLS = { authorities: tlsText("authority.pem"), certificate: undefined, key: undefined };

interface Wish {
  readonly access: Pick<Access, "server"> & Partial<Access>;
  readonly proxy?: string;
  readonly authorities?: string;
}

function ask(t: Test, { access, proxy, authorities }: Wish): Promise<string> {
  const whole: Access = {
    insecure: false,
    identity: { authorization: { type: "none" }, impersonation: {} },
    ...access,
  };
  const target = { access: whole, proxy: proxy === undefined ? undefined : new URL(proxy) };
  const { send, agent, host, port, prefix, headers } = makeRoute(target, {
    ...TLS,
    ...(authorities && { authorities }),
  });
  t.teardown(() => agent.destroy());
  return new Promise((resolve, reject) => {
    send({ agent, host, port, path: `${prefix}/api`, headers }, (response) => resolve(text(response)))
      .on("error", reject)
      .end();
  });
}

t.test("straight to a server, with TLS and without, below a path of its own", async (t) => {
  for (const certificate of ["server", undefined] as const) {
    const server = await startServer(t, certificate ? { certificate } : {});
    t.equal(await ask(t, { access: { server: new URL(`${server.url}/k8s`) } }), "ok");
    t.match(server.asked, [{ path: "/k8s/api", headers: { host: `127.0.0.1:${server.port}` } }]);
  }
});

t.test("a server must be certified by an authority that we trust, for the name that we expect", async (t) => {
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
  for (const [name, wish] of Object.entries(trusted)) t.equal(await ask(t, wish), "ok", name);
  const refused: Readonly<Record<string, readonly [Wish, string]>> = {
    "an address that is not in it": [{ access: { server } }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    "a host that is not in it": [{ access: { server: byName } }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    "another name": [{ access: { server, serverName: "other.test" } }, "ERR_TLS_CERT_ALTNAME_INVALID"],
    "another address": [
      { access: { server: new URL(good.url), serverName: "192.0.2.1" } },
      "ERR_TLS_CERT_ALTNAME_INVALID",
    ],
    "another authority": [
      { access: { server: new URL(good.url) }, authorities: tlsText("stranger.pem") },
      "SELF_SIGNED_CERT_IN_CHAIN",
    ],
  };
  for (const [name, [wish, code]] of Object.entries(refused)) await t.rejects(ask(t, wish), { code }, name);
});

t.test("by a proxy: a tunnel to a server with TLS, else the whole URL", async (t) => {
  const proxies: readonly (readonly [string, ProxyWish])[] = [
    ["http", {}],
    ["https", { tls: true }],
  ];
  for (const [scheme, wish] of proxies) {
    const proxy = await startProxy(t, wish);
    const url = `${scheme}://user:pass@127.0.0.1:${proxy.port}`;
    const encrypted = await startServer(t, { certificate: "server" });
    t.equal(await ask(t, { access: { server: new URL(encrypted.url) }, proxy: url }), "ok", `${scheme} to https`);
    const plain = await startServer(t);
    t.equal(await ask(t, { access: { server: new URL(`${plain.url}/k8s`) }, proxy: url }), "ok", `${scheme} to http`);
    t.strictSame(proxy.targets, [`127.0.0.1:${encrypted.port}`, `${plain.url}/k8s/api`]);
    t.match(plain.asked, [{ headers: { host: `127.0.0.1:${plain.port}` } }]);
  }
});

t.test("without an authority of its own, those that Node brings along are asked", async (t) => {
  const server = await startServer(t, { certificate: "server" });
  const proxy = await startProxy(t, { tls: true });
  const target = {
    access: {
      server: new URL(server.url),
      insecure: false,
      identity: { authorization: { type: "none" }, impersonation: {} },
    },
  } as const;
  const nothing = { ...TLS, authorities: undefined };
  for (const way of [undefined, new URL(`https://127.0.0.1:${proxy.port}`)]) {
    const { send, agent, host, port } = makeRoute({ ...target, proxy: way }, nothing);
    t.teardown(() => agent.destroy());
    const asked = new Promise((resolve, reject) => send({ agent, host, port }, resolve).on("error", reject).end());
    await t.rejects(asked, { code: /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN)$/ });
  }
});
