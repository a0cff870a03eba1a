// Tests that connections to the API server whose packets are dropped are noticed within 30 s, and left behind.
import "../support/enter-sandbox.ts";

import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import t, { type Test } from "tap";
import type { ConnectionError, RequestPhase } from "../../src/source/connection.ts";
import { rawNode, rawService } from "../support/api-server/api-objects.ts";
import { followCluster, quickTiming } from "../support/api-server/followed-cluster.ts";
import { type ApiServerOptions, startApiServer } from "../support/api-server/server.ts";
import { connectTo } from "../support/api-server/test-connection.ts";
import { skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";
import { serverTls } from "../support/tls-server.ts";

limitTime(180_000);

const skip = skipReason();

const TLS = { ...serverTls("server"), requestCert: false };

/** Over what, and what notices that the connection is dead. */
const CASES: Readonly<Record<string, { readonly options: ApiServerOptions; readonly noticed: RegExp }>> = {
  "HTTP/2": { options: { tls: TLS }, noticed: /no answer to PING within 10 s/ },
  "HTTP/1.1 over TLS": { options: { tls: TLS, alpn: "http/1.1" }, noticed: /ETIMEDOUT/ },
  "plain HTTP/1.1": { options: {}, noticed: /ETIMEDOUT/ },
};

/** Drops all packets from and to a port of this namespace, without an answer to their sender. */
async function drop(port: string): Promise<() => Promise<unknown>> {
  const table = `hole${port}`;
  const chain = `chain input { type filter hook input priority 0\n tcp dport ${port} drop\n tcp sport ${port} drop\n}`;
  await execa("nft", ["-f", "-"], { input: `table inet ${table} {\n${chain}\n}\n` });
  return () => execa("nft", ["delete", "table", "inet", table]);
}

t.test("a black hole ends connections and requests, and afterwards all objects are right", { skip }, async (t) => {
  await execa("ip", ["link", "set", "lo", "up"]);
  // The limits are real time here: those of the kernel cannot be accelerated.
  const following = Object.entries(CASES).map(async ([name, { options, noticed }]) => {
    const server = await startApiServer(options);
    t.teardown(() => server.close());
    server.set(rawNode("n1", "z"));
    server.set(rawService("web"));
    server.set(rawService("old"));
    const connection = connectTo(server.url);
    const cluster = followCluster(t, { server, connection, timing: quickTiming(1) });
    await cluster.until(`${name}: complete`, () => cluster.snapshot() !== undefined && server.watches() === 3);
    // Its last bytes are acknowledged, so that keep-alive is at work and not retransmission.
    await sleep(500);
    const heal = await drop(new URL(server.url).port);
    t.teardown(() => heal().catch(() => {}));
    const begin = performance.now();
    server.set(rawService("new"));
    server.delete({ kind: "Service", namespace: "ns", name: "old" });
    const seconds = () => (performance.now() - begin) / 1000;
    const isNoticed = () => cluster.reports.some((report) => noticed.test(report));
    while (!isNoticed() && seconds() < 60) await sleep(50);
    t.ok(isNoticed(), `${name}: ${cluster.reports.join("; ")}`);
    t.comment(`${name}: noticed after ${seconds().toFixed(1)} s`);
    await heal();
    const healed = performance.now();
    await cluster.until(`${name}: all objects are right`, () => cluster.differences().length === 0);
    t.comment(`${name}: right ${((performance.now() - healed) / 1000).toFixed(1)} s after the end`);
    await cluster.stop();
  });
  await Promise.all([...following, failUnanswered(t)]);
});

/** A request that is sent into the black hole over HTTP/1.1, where neither PING nor keep-alive helps. */
async function failUnanswered(t: Test): Promise<void> {
  const server = await startApiServer({ tls: TLS, alpn: "http/1.1" });
  t.teardown(() => server.close());
  const connection = connectTo(server.url);
  t.teardown(() => connection.close());
  const ask = (path: string) => connection.send({ method: "GET", path, signal: new AbortController().signal });
  for await (const _ of (await ask("/api/v1/services")).body);
  await sleep(100);
  const heal = await drop(new URL(server.url).port);
  t.teardown(() => heal().catch(() => {}));
  const phase: RequestPhase = "request";
  await t.rejects(ask("/api/v1/services"), {
    name: "ConnectionError",
    code: "ETIMEDOUT",
    phase,
    message: `${server.url}: no answer within 30 s`,
  } satisfies Partial<ConnectionError>);
}
