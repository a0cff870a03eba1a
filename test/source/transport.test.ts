import { text } from "node:stream/consumers";
import t, { type Test } from "tap";
import type { Access } from "../../src/source/access.ts";
import type { TlsMaterial } from "../../src/source/credentials.ts";
import type { Route } from "../../src/source/route.ts";
import { Transport } from "../../src/source/transport.ts";
import { startServer, tlsText } from "../support/tls-server.ts";

function materialOf(name: string): TlsMaterial {
  return { authorities: tlsText("authority.pem"), certificate: tlsText(`${name}.pem`), key: tlsText(`${name}.key`) };
}

const WORKER_A = materialOf("worker-a");
const WORKER_B = materialOf("worker-b");
const BROKEN = { ...WORKER_A, key: WORKER_B.key };

function ask({ send, agent, host, port }: Route): Promise<string> {
  return new Promise((resolve, reject) => {
    send({ agent, host, port, path: "/" }, (response) => resolve(text(response)))
      .on("error", reject)
      .end();
  });
}

async function arrange(t: Test) {
  const server = await startServer(t, { certificate: "server" });
  const access: Access = {
    server: new URL(server.url),
    insecure: false,
    identity: { authorization: { type: "none" }, impersonation: {} },
  };
  const told: string[] = [];
  const transport = new Transport({ access, proxy: undefined }, (said) => told.push(said));
  t.teardown(() => transport.close());
  return { server, transport, told };
}

t.test("a connection is used again until the certificate is another one", async (t) => {
  const { server, transport } = await arrange(t);
  for (const tls of [WORKER_A, WORKER_A, WORKER_B, WORKER_B]) {
    await ask(transport.routeFor(tls));
    // A connection is free for the next request only after this turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const seen = server.asked.map(({ as, connection }) => `${as} ${connection}`);
  t.strictSame(seen, ["worker-a 1", "worker-a 1", "worker-b 2", "worker-b 2"]);
});

t.test("what goes on over an old connection may end in peace", async (t) => {
  const { server, transport } = await arrange(t);
  const old = transport.routeFor(WORKER_A);
  const answers = [ask(old), ask(transport.routeFor(WORKER_B))];
  t.strictSame(await Promise.all(answers), ["ok", "ok"]);
  t.strictSame(server.asked.map(({ as }) => as).sort(), ["worker-a", "worker-b"]);
  await new Promise((resolve) => setImmediate(resolve));
  t.strictSame(Object.keys(old.agent.freeSockets), [], "and is not kept");
});

t.test("certificates that do not fit are told, and those of before used on", async (t) => {
  const { server, transport, told } = await arrange(t);
  t.throws(() => transport.routeFor(BROKEN), { name: "InputError" }, "there are none of before");
  const good = transport.routeFor(WORKER_A);
  t.equal(transport.routeFor(BROKEN), good);
  t.equal(transport.routeFor(BROKEN), good);
  t.match(told, [/key values mismatch.*; the certificates of before are used on$/]);
  t.equal(told.length, 1, "once");
  await ask(transport.routeFor(WORKER_B));
  t.strictSame(
    server.asked.map(({ as }) => as),
    ["worker-b"],
  );
});

t.test("closing one that was never used does nothing", async (t) => {
  const { transport } = await arrange(t);
  transport.close();
  t.pass("closed");
});
