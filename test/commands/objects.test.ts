import { join } from "node:path";
import t, { type Test } from "tap";
import { readConfiguration } from "../../src/commands/configuration.ts";
import { type Objects, openObjects } from "../../src/commands/objects.ts";
import { rawNode, rawService } from "../support/api-server/api-objects.ts";
import { NO_OBSERVER, waitUntil } from "../support/api-server/followed-cluster.ts";
import { type ApiServer, type ApiServerOptions, startApiServer } from "../support/api-server/server.ts";
import { keptLog } from "../support/kept-log.ts";
import { writeKubeconfig } from "../support/kubeconfig.ts";

interface Scene {
  readonly server: ApiServer;
  readonly lines: readonly string[];
  readonly nodeFailures: readonly string[];
  said(line: RegExp): Promise<void>;
}

/** Follows an API server as the daemon does, from before or after the server can be reached. */
async function follow(t: Test, options: ApiServerOptions = {}, prepare = async (_: ApiServer) => {}): Promise<Scene> {
  const server = await startApiServer(options);
  t.teardown(() => server.close());
  server.set(rawService("web"));
  server.set(rawNode("n1", "z"));
  await prepare(server);
  const folder = writeKubeconfig(t, { cluster: { server: server.url } });
  const { options: daemon } = await readConfiguration(new Map([["kubeconfig", [join(folder, "kubeconfig")] as const]]));
  const { logs, lines } = keptLog();
  const nodeFailures: string[] = [];
  const stop = new AbortController();
  const objects = await openObjects({
    manifests: [],
    options: daemon,
    master: "",
    nodeName: "n1",
    version: "v0",
    requests: () => {},
    pluginCalled: () => {},
    watches: NO_OBSERVER,
    signal: stop.signal,
    log: logs("objects.ts"),
    nodeFailed: (reason) => nodeFailures.push(reason),
    sawManifests: () => {},
  });
  const reading = read(objects);
  t.teardown(async () => {
    stop.abort();
    await reading;
    await objects.close();
  });
  const said = (line: RegExp) =>
    waitUntil(`${line} in\n${lines.join("\n")}`, () => lines.some((each) => line.test(each)));
  return { server, lines, nodeFailures, said };
}

async function read({ source }: Objects): Promise<void> {
  for await (const _ of source);
}

t.test("the log has one line for a lost connection, and one for its return with what changed", async (t) => {
  const { server, lines, said } = await follow(t);
  await waitUntil("followed", () => server.watches() === 3);
  await server.stop();
  await said(/^"Lost the connection to the API server; retrying" server="http.*reason="cannot watch .*ECONNREFUSED/);
  server.set(rawService("new"));
  server.set(rawService("web", { port: 81 }));
  await server.restart();
  await said(/^"Reconnected to the API server" server=".*" duration="[\d.]+m?s" changes=2 /);
  t.ok(lines.some((line) => line.startsWith('"Reconnected') && line.includes("services=2")));
  const lost = lines.filter((line) => line.startsWith('"Lost the connection'));
  t.equal(new Set(lost).size, lost.length, "no line twice");
});

t.test("a server that cannot be reached at the start is named, and so is the end of that", async (t) => {
  const { server, said } = await follow(t, {}, (server) => server.stop());
  await said(/^"Cannot connect to the API server; retrying".*ECONNREFUSED/);
  await server.restart();
  await said(/^"Connected to the API server"/);
});

t.test("a resource that is refused is named with the reason, which a missing Node shows too", async (t) => {
  const { server, nodeFailures, said } = await follow(t, {}, async (server) => {
    server.fault({ resource: "nodes", trouble: { type: "status", code: 403, reason: "Forbidden" }, times: 3 });
  });
  await said(/^"Cannot read objects from the API server; retrying".*resource="nodes" reason="cannot list nodes: 403/);
  await said(/^"Reading objects from the API server again".*changes=1 nodes=1/);
  t.match(nodeFailures, [/cannot list nodes: 403/, /cannot list nodes: 403/, /cannot list nodes: 403/]);
  t.equal(server.watches(), 3);
});
