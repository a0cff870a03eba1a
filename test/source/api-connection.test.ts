import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import t, { type Test } from "tap";
import { type ClusterChoice, connectCluster } from "../../src/source/api-connection.ts";
import type { ApiConnection } from "../../src/source/connection.ts";
import { startProxy } from "../support/connect-proxy.ts";
import { credentialOf, writePlugin } from "../support/exec-plugin.ts";
import { type KubeconfigWish, writeKubeconfig } from "../support/kubeconfig.ts";
import { HandTiming } from "../support/timing.ts";
import { type Asked, destroyAll, startServer, type TestServer, tlsText } from "../support/tls-server.ts";

const AUTHORITY = Buffer.from(tlsText("authority.pem")).toString("base64");
const STRANGER = Buffer.from(tlsText("stranger.pem")).toString("base64");
const NEVER = new AbortController().signal;
const EXEC = { apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never" };

type Wish = Partial<Omit<ClusterChoice, "client">> & { readonly kubeconfig?: string };

function connect(t: Test, { kubeconfig = "", ...more }: Wish): Promise<ApiConnection> {
  const connection = connectCluster({
    client: { kubeconfig, qps: -1, burst: 1 },
    master: "",
    userAgent: "kube-proxy/v1.36.0 fairlead/test",
    warn: t.fail,
    pod: { environment: {} },
    ...more,
  });
  t.teardown(async () => (await connection.catch(() => undefined))?.close());
  return connection;
}

/** The status, once the body is read to its end. */
async function ask(connection: ApiConnection, path = "/version"): Promise<number> {
  const { status, body } = await connection.send({ method: "GET", path, signal: NEVER });
  for await (const _ of body);
  return status;
}

/** A server that knows one token at a time. */
async function startGuarded(t: Test, token: string) {
  let wanted = token;
  const server = await startServer(t, {
    certificate: "server",
    answer: ({ headers }, response) => {
      response.statusCode = headers.authorization === `Bearer ${wanted}` ? 200 : 401;
      response.end("answer");
    },
  });
  const expect = (next: string) => {
    wanted = next;
  };
  return { server, expect };
}

function tokensOf(asked: readonly Asked[]): readonly (string | undefined)[] {
  return asked.map(({ headers }) => headers.authorization);
}

function writeFor(
  t: Test,
  { url }: TestServer,
  wish: Partial<KubeconfigWish>,
  files: Record<string, string> = {},
): string {
  const cluster = { server: url, "certificate-authority-data": AUTHORITY, ...wish.cluster };
  return writeKubeconfig(t, { ...wish, cluster }, files);
}

t.test("what every request says", async (t) => {
  const server = await startServer(t, { certificate: "server" });
  const kubeconfig = join(
    writeFor(t, server, { user: { token: "T", as: "jane", "as-groups": ["a", "b"] } }),
    "kubeconfig",
  );
  const connection = await connect(t, { kubeconfig });
  t.equal(connection.server, server.url);
  t.equal(await ask(connection, "/api/v1/nodes?limit=1"), 200);
  const headers = {
    accept: "application/json",
    "user-agent": "kube-proxy/v1.36.0 fairlead/test",
    authorization: "Bearer T",
    "impersonate-user": "jane",
    "impersonate-group": "a, b",
    "accept-encoding": undefined,
  };
  t.match(server.asked, [{ method: "GET", path: "/api/v1/nodes?limit=1", headers }]);
});

t.test("a token file is read again after a minute", async (t) => {
  const { server } = await startGuarded(t, "T1");
  const folder = writeFor(t, server, { user: { tokenFile: "token" } }, { token: "T1\n" });
  const timing = new HandTiming();
  const connection = await connect(t, { kubeconfig: join(folder, "kubeconfig"), timing });
  await ask(connection);
  writeFileSync(join(folder, "token"), "T2\n");
  await timing.advance(59_999);
  await ask(connection);
  await timing.advance(1);
  await ask(connection);
  t.strictSame(tokensOf(server.asked).slice(0, 3), ["Bearer T1", "Bearer T1", "Bearer T2"]);
});

t.test("a token that is refused is read again at once, and the request sent once more", async (t) => {
  const { server, expect } = await startGuarded(t, "T1");
  const folder = writeFor(t, server, { user: { tokenFile: "token" } }, { token: "T1" });
  const connection = await connect(t, { kubeconfig: join(folder, "kubeconfig") });
  t.equal(await ask(connection), 200);
  writeFileSync(join(folder, "token"), "T2");
  expect("T2");
  t.equal(await ask(connection), 200);
  expect("T3");
  t.equal(await ask(connection), 401, "once and not again");
  t.strictSame(
    tokensOf(server.asked).map((token) => token?.slice(7)),
    ["T1", "T1", "T2", "T2", "T2"],
  );
});

t.test("a token in the kubeconfig itself cannot be read again", async (t) => {
  const { server } = await startGuarded(t, "T1");
  const cluster = { "certificate-authority-data": AUTHORITY };
  const connection = await connect(t, {
    kubeconfig: join(writeFor(t, server, { cluster, user: { token: "T0" } }), "kubeconfig"),
  });
  t.equal(await ask(connection), 401);
  t.equal(server.asked.length, 1);
});

t.test("a client certificate is read again when its file changes", async (t) => {
  const server = await startServer(t, { certificate: "server" });
  const files = { "tls.crt": tlsText("worker-a.pem"), "tls.key": tlsText("worker-a.key") };
  const folder = writeFor(t, server, { user: { "client-certificate": "tls.crt", "client-key": "tls.key" } }, files);
  const timing = new HandTiming();
  const told: string[] = [];
  const connection = await connect(t, {
    kubeconfig: join(folder, "kubeconfig"),
    timing,
    warn: (text) => told.push(text),
  });
  await ask(connection);
  writeFileSync(join(folder, "tls.crt"), tlsText("worker-b.pem"));
  await timing.advance(60_000);
  await ask(connection);
  t.match(told, [/key values mismatch/], "half of the change is told");
  writeFileSync(join(folder, "tls.key"), tlsText("worker-b.key"));
  await timing.advance(60_000);
  await ask(connection);
  t.strictSame(
    server.asked.map(({ as }) => as),
    ["worker-a", "worker-a", "worker-b"],
  );
});

t.test("a client certificate in the kubeconfig itself", async (t) => {
  const server = await startServer(t, { certificate: "server" });
  const user = {
    "client-certificate-data": Buffer.from(tlsText("worker-a.pem")).toString("base64"),
    "client-key-data": Buffer.from(tlsText("worker-a.key")).toString("base64"),
  };
  await ask(await connect(t, { kubeconfig: join(writeFor(t, server, { user }), "kubeconfig") }));
  t.strictSame(
    server.asked.map(({ as }) => as),
    ["worker-a"],
  );
});

t.test(
  "a plugin runs once for all, again when the server refuses what it gave, and gives a certificate too",
  async (t) => {
    const { server, expect } = await startGuarded(t, "T1");
    const folder = writeFor(t, server, { user: { exec: { ...EXEC, command: "./login.cjs" } } });
    const plugin = writePlugin(folder);
    plugin.says(credentialOf({ token: "T1" }));
    const connection = await connect(t, { kubeconfig: join(folder, "kubeconfig") });
    t.strictSame(await Promise.all([ask(connection), ask(connection), ask(connection)]), [200, 200, 200]);
    t.equal(plugin.calls().length, 1);
    plugin.says(
      credentialOf({
        token: "T2",
        clientCertificateData: tlsText("worker-b.pem"),
        clientKeyData: tlsText("worker-b.key"),
      }),
    );
    expect("T2");
    t.equal(await ask(connection), 200);
    t.equal(plugin.calls().length, 2);
    t.match(server.asked.at(-1), { as: "worker-b" });
  },
);

t.test("inside of a Pod, beside a proxy that the environment names", async (t) => {
  const { server, expect } = await startGuarded(t, "T1");
  const serviceAccount = t.testdir({ token: "T1", "ca.crt": tlsText("authority.pem") });
  const environment = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(server.port) };
  const proxy = { HTTPS_PROXY: "http://127.0.0.1:1" };
  const connection = await connect(t, { pod: { environment: { ...environment, ...proxy }, serviceAccount } });
  t.equal(await ask(connection), 200, "never for the host itself");
  writeFileSync(join(serviceAccount, "next"), "T2");
  renameSync(join(serviceAccount, "next"), join(serviceAccount, "token"));
  expect("T2");
  t.equal(await ask(connection), 200);
  rmSync(join(serviceAccount, "ca.crt"));
  await t.rejects(connect(t, { pod: { environment, serviceAccount } }), {
    name: "InputError",
    message: `${serviceAccount}/ca.crt cannot be read: no such file or directory`,
  });
  await t.rejects(connect(t, {}), { name: "InputError", message: /this is no Pod/ });
});

t.test("--master alone, and before a kubeconfig", async (t) => {
  const plain = await startServer(t);
  t.equal(await ask(await connect(t, { master: `127.0.0.1:${plain.port}` })), 200);
  t.strictSame(tokensOf(plain.asked), [undefined]);
  const encrypted = await startServer(t, { certificate: "server" });
  const cluster = { server: "https://192.0.2.1", "tls-server-name": "api.cluster.test" };
  const kubeconfig = join(writeFor(t, encrypted, { cluster, user: { token: "T" } }), "kubeconfig");
  t.equal(await ask(await connect(t, { kubeconfig, master: encrypted.url })), 200);
  await t.rejects(connect(t, { master: "ftp://x" }), { message: "--master: must begin with http:// or https://" });
});

t.test("by a proxy of the kubeconfig, and by one of the environment", async (t) => {
  const server = await startServer(t, { certificate: "named" });
  const proxy = await startProxy(t);
  const url = `http://127.0.0.1:${proxy.port}`;
  const named = { server: `https://api.cluster.test:${server.port}`, "certificate-authority-data": AUTHORITY };
  const inFile = join(writeFor(t, server, { cluster: { ...named, "proxy-url": url } }), "kubeconfig");
  t.equal(
    await ask(await connect(t, { kubeconfig: inFile, pod: { environment: { HTTPS_PROXY: "http://127.0.0.1:1" } } })),
    200,
  );
  const bare = join(writeFor(t, server, { cluster: named }), "kubeconfig");
  t.equal(await ask(await connect(t, { kubeconfig: bare, pod: { environment: { HTTPS_PROXY: url } } })), 200);
  t.strictSame(proxy.targets, Array(2).fill(`api.cluster.test:${server.port}`));
});

t.test("an unchecked certificate is warned of", async (t) => {
  const server = await startServer(t, { certificate: "named" });
  const cluster = { "certificate-authority-data": "", "insecure-skip-tls-verify": true };
  const told: string[] = [];
  const kubeconfig = join(writeFor(t, server, { cluster }), "kubeconfig");
  t.equal(await ask(await connect(t, { kubeconfig, warn: (text) => told.push(text) })), 200);
  t.strictSame(told, [`${server.url}: the certificate of the server is not checked (insecure-skip-tls-verify)`]);
});

t.test("requests beyond the burst wait, and may be given up while they do", async (t) => {
  const server = await startServer(t);
  const timing = new HandTiming();
  const client = { kubeconfig: "", qps: 1, burst: 1 };
  const connection = await connectCluster({ client, master: server.url, userAgent: "", warn: t.fail, timing });
  t.teardown(() => connection.close());
  await ask(connection);
  const second = ask(connection);
  const stop = new AbortController();
  const third = connection.send({ method: "GET", path: "/", signal: stop.signal });
  stop.abort();
  await t.rejects(third, {
    name: "ConnectionError",
    code: "ABORT_ERR",
    message: `${server.url}: the request was given up`,
  });
  t.equal(server.asked.length, 1);
  await timing.advance(1000);
  t.equal(await second, 200);
  await t.rejects(connection.send({ method: "GET", path: "/", signal: AbortSignal.abort() }), { code: "ABORT_ERR" });
  await timing.advance(60_000);
  t.equal(server.asked.length, 2, "what was given up is not sent later");
});

t.test("closing ends what is under way", async (t) => {
  const server = await startServer(t, { answer: (_asked, response) => response.write("piece") });
  const connection = await connect(t, { master: server.url });
  const { body } = await connection.send({ method: "GET", path: "/", signal: NEVER });
  const reading = (async () => {
    for await (const _ of body);
  })();
  await connection.close();
  await t.rejects(reading, { name: "ConnectionError" });
});

const SECRETS = /S3CRET|PRIVATE KEY|UzNDUkVU/;
const PAIR = { "client-certificate-data": Buffer.from(tlsText("worker-a.pem")).toString("base64") };
const USERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "a token": { token: "S3CRET" },
  "a password": { username: "u", password: "S3CRET" },
  "a certificate": { ...PAIR, "client-key-data": Buffer.from(tlsText("worker-a.key")).toString("base64") },
};

/** All that could be printed of a failure. */
async function failureText(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
    return "no failure";
  } catch (error) {
    return `${String(error)}\n${inspect(error, { depth: 10, showHidden: true })}`;
  }
}

t.test("no failure of a connection shows a secret", async (t) => {
  const reset = await startServer(t, {
    certificate: "server",
    answer: () => destroyAll(reset.sockets),
  });
  const named = await startServer(t, { certificate: "named" });
  const proxy = await startProxy(t, { authorization: "Basic other" });
  const clusters: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    "nobody listens": { server: "https://127.0.0.1:1" },
    "the connection is cut": {},
    "the wrong host": { server: named.url },
    "the wrong name": { "tls-server-name": "other.test" },
    "the wrong authority": { "certificate-authority-data": STRANGER },
    "a proxy that refuses us": { "proxy-url": `http://u:S3CRET@127.0.0.1:${proxy.port}` },
    "a proxy that is not there": { "proxy-url": "http://u:S3CRET@127.0.0.1:1" },
  };
  for (const [what, cluster] of Object.entries(clusters)) {
    for (const [who, user] of Object.entries(USERS)) {
      const connection = await connect(t, { kubeconfig: join(writeFor(t, reset, { cluster, user }), "kubeconfig") });
      const text = await failureText(ask(connection));
      t.match(text, /^ConnectionError: (proxy )?https?:/, `${what} for ${who}`);
      t.notMatch(text, SECRETS, `${what} for ${who}: ${text.split("\n")[0]}`);
    }
  }
});

t.test("no refusal of a kubeconfig shows a secret", async (t) => {
  const server = await startServer(t, { certificate: "server" });
  const cases: Readonly<Record<string, readonly [object, object]>> = {
    "a proxy of a wrong kind": [{ "proxy-url": "socks5://u:S3CRET@p" }, {}],
    "a proxy that is no URL": [{ "proxy-url": "u:S3CRET@p" }, {}],
    "a password in the server": [{ server: "https://u:S3CRET@h" }, {}],
    "token and password": [{}, { token: "S3CRET", username: "u", password: "S3CRET" }],
    "a key that is none": [{}, { ...PAIR, "client-key-data": "UzNDUkVU" }],
    "a key that is no base64": [{}, { ...PAIR, "client-key-data": "S3CRET!" }],
    "a token of a wrong type": [{}, { token: ["S3CRET"] }],
    "an unknown mode of a plugin": [
      {},
      { exec: { ...EXEC, command: "x", env: [{ name: "A", value: "S3CRET" }], interactiveMode: "S3CRET" } },
    ],
  };
  for (const [what, [cluster, user]] of Object.entries(cases)) {
    const wish = { cluster: { ...cluster }, user: { ...user } };
    const text = await failureText(connect(t, { kubeconfig: join(writeFor(t, server, wish), "kubeconfig") }));
    t.match(text, /^InputError: /, what);
    t.notMatch(text, SECRETS, `${what}: ${text.split("\n")[0]}`);
  }
  const folder = t.testdir({ kubeconfig: "users:\n- user: {token: S3CRET, password: 'S3CRET\n" });
  t.notMatch(await failureText(connect(t, { kubeconfig: join(folder, "kubeconfig") })), SECRETS, "no YAML");
});

t.test("no failure of a credential shows a secret", async (t) => {
  const server = await startServer(t, { certificate: "server" });
  const said: Readonly<Record<string, unknown>> = {
    "no JSON": "S3CRET",
    "another kind": { ...credentialOf({ token: "S3CRET" }), kind: "S3CRET" },
    "no time": credentialOf({ token: "S3CRET", expirationTimestamp: "S3CRET" }),
    "a token that no header may hold": credentialOf({ token: "S3CRET\nX: y" }),
    "a key that is none": credentialOf({ clientCertificateData: tlsText("worker-a.pem"), clientKeyData: "S3CRET" }),
  };
  for (const [what, answer] of Object.entries(said)) {
    const exec = { ...EXEC, command: "./login.cjs", args: ["S3CRET"], env: [{ name: "A", value: "S3CRET" }] };
    const folder = writeFor(t, server, { user: { exec } });
    writePlugin(folder).says(answer);
    const told: string[] = [];
    const connection = await connect(t, { kubeconfig: join(folder, "kubeconfig"), warn: (text) => told.push(text) });
    const text = `${await failureText(ask(connection))}\n${told.join("\n")}`;
    t.match(text, /^ConnectionError: https:|previous certificates/, what);
    t.notMatch(text, SECRETS, `${what}: ${text.split("\n")[0]}`);
  }
  const file = writeFor(t, server, { user: { tokenFile: "token" } }, { token: "S3CRET\n2\n" });
  const connection = await connect(t, { kubeconfig: join(file, "kubeconfig") });
  t.notMatch(await failureText(ask(connection)), SECRETS, "a token of two lines");
  t.match(readFileSync(join(file, "token"), "utf8"), SECRETS, "what was looked for was there");
});

t.test("listeners learn of each new connection, and a failure says how far the request got", async (t) => {
  const server = await startServer(t, {
    certificate: "server",
    answer: ({ path }, response) => {
      if (path === "/cut") response.write("half", () => destroyAll(server.sockets));
      else if (path === "/reset") destroyAll(server.sockets);
      else response.end("ok");
    },
  });
  const kubeconfig = join(writeFor(t, server, {}), "kubeconfig");
  const connection = await connect(t, { kubeconfig });
  let connections = 0;
  const remove = connection.onConnected(() => connections++);
  await ask(connection);
  await ask(connection);
  t.equal(connections, 1, "the second request uses the connection of the first");
  await t.rejects(ask(connection, "/cut"), { name: "ConnectionError", phase: "answer" });
  await t.rejects(ask(connection, "/reset"), { name: "ConnectionError", phase: "request" });
  remove();
  await ask(connection);
  t.equal(connections, 2);
  const refused = join(writeFor(t, server, { cluster: { server: "https://127.0.0.1:1" } }), "kubeconfig");
  await t.rejects(ask(await connect(t, { kubeconfig: refused })), { code: "ECONNREFUSED", phase: "connect" });
  const untrusted = join(writeFor(t, server, { cluster: { "certificate-authority-data": STRANGER } }), "kubeconfig");
  await t.rejects(ask(await connect(t, { kubeconfig: untrusted })), { name: "ConnectionError", phase: "connect" });
});

t.test(
  "a server that comes back with the certificate of another authority is reached once the CA file follows",
  async (t) => {
    const before = await startServer(t, { certificate: "server" });
    const cluster = { "certificate-authority-data": undefined, "certificate-authority": "ca.crt" };
    const folder = writeFor(t, before, { cluster }, { "ca.crt": tlsText("authority.pem") });
    const timing = new HandTiming();
    const connection = await connect(t, { kubeconfig: join(folder, "kubeconfig"), timing });
    t.equal(await ask(connection), 200);
    await new Promise((resolve) => {
      before.server.close(resolve);
      destroyAll(before.sockets);
    });
    await t.rejects(ask(connection), { name: "ConnectionError", code: "ECONNREFUSED", phase: "connect" });
    const after = await startServer(t, { certificate: "replaced", port: before.port });
    const untrusted = { name: "ConnectionError", code: /SELF_SIGNED|UNABLE_TO/, phase: "connect" };
    await t.rejects(ask(connection), untrusted, "the file still has the previous authority");
    writeFileSync(join(folder, "ca.crt"), tlsText("replaced.pem"));
    t.equal(await ask(connection), 200, "the file is read again without waiting for its minute");
    t.equal(after.asked.length, 1);
    t.equal(timing.now(), 0);
  },
);

t.test("a token that expired is replaced by a symbolic link, as the kubelet does", async (t) => {
  const { server, expect } = await startGuarded(t, "T1");
  const folder = writeFor(t, server, { user: { tokenFile: "token" } });
  const publish = (version: string, token: string) => {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "token"), token);
    symlinkSync(version, join(folder, "..data_tmp"));
    renameSync(join(folder, "..data_tmp"), join(folder, "..data"));
  };
  publish("..v1", "T1");
  symlinkSync("..data/token", join(folder, "token"));
  const connection = await connect(t, { kubeconfig: join(folder, "kubeconfig"), timing: new HandTiming() });
  t.equal(await ask(connection), 200);
  expect("T2");
  t.equal(await ask(connection), 401, "expired, and no new one is there yet");
  publish("..v2", "T2");
  t.equal(await ask(connection), 200);
  t.strictSame(
    tokensOf(server.asked).map((token) => token?.slice(7)),
    ["T1", "T1", "T1", "T1", "T2"],
  );
  t.equal(new Set(server.asked.map(({ connection }) => connection)).size, 1, "over one connection");
});

t.test("DISABLE_HTTP2 disables HTTP/2, as in client-go", async (t) => {
  const server = await startServer(t, { certificate: "server" });
  const kubeconfig = join(writeFor(t, server, {}), "kubeconfig");
  for (const value of [undefined, "", "false"]) {
    await ask(await connect(t, { kubeconfig, pod: { environment: { DISABLE_HTTP2: value } } }));
  }
  t.strictSame(
    server.asked.map(({ httpVersion }) => httpVersion),
    ["2.0", "2.0", "1.1"],
  );
});
