// What does a test of the daemon in a cluster need: an API server on loopback, and the daemon following it as this node?
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import type { Test } from "tap";
import { parseAllDocuments } from "yaml";
import { type ApiServer, startApiServer } from "./api-server/server.ts";
import { Daemon } from "./daemon.ts";
import { freePort } from "./http-client.ts";
import { SOURCES } from "./program.ts";
import { sandboxEnvironment } from "./sandbox.ts";

const DEPLOYED = fileURLToPath(new URL("../../scripts/deploy/kube-proxy.yaml", import.meta.url));

const TOKEN = "the-token-of-this-test";

/** The namespace that this process is in: that of the sandbox. */
const HERE = `/proc/${process.pid}/ns/net`;

/** A daemon that runs, and where it answers. */
export interface ClusterNode {
  readonly server: ApiServer;
  readonly ports: { readonly health: number; readonly metrics: number };
  start(...flags: readonly string[]): Daemon;
}

/** A place in a text, and what stands there instead. */
type Replacement = readonly [place: RegExp, by: string];

/**
 * The configuration is that of the ConfigMap in `scripts/deploy`, as kubeadm writes it, but for what a namespace has no
 * right to (the size of the conntrack table), free ports, and what the test wants
 * to be otherwise.
 */
export async function makeClusterNode(t: Test, otherwise: readonly Replacement[] = []): Promise<ClusterNode> {
  await execa("ip", ["link", "set", "lo", "up"]);
  const server = await startApiServer({ token: TOKEN });
  t.teardown(() => server.close());
  const folder = mkdtempSync("/run/fairlead-cluster-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const at = (name: string) => join(folder, name);
  const ports = { health: await freePort(), metrics: await freePort() };
  const deployed = configMap();
  writeFileSync(at("token"), TOKEN);
  writeFileSync(
    at("kubeconfig.conf"),
    replaced(deployed("kubeconfig.conf"), [
      [/server: .*/, `server: ${server.url}`],
      [/certificate-authority: .*\n/, "\n"],
      [/tokenFile: .*/, `tokenFile: ${at("token")}`],
    ]),
  );
  writeFileSync(
    at("config.conf"),
    replaced(deployed("config.conf"), [
      [/kubeconfig: .*/, `kubeconfig: ${at("kubeconfig.conf")}`],
      [/maxPerCore: .*/, "maxPerCore: 0"],
      [/tcpCloseWaitTimeout: .*/, "tcpCloseWaitTimeout: 0s"],
      [/tcpEstablishedTimeout: .*/, "tcpEstablishedTimeout: 0s"],
      [/minSyncPeriod: 0s\n( *)syncPeriod: 0s/, "minSyncPeriod: 100ms\n$1syncPeriod: 2s"],
      [/healthzBindAddress: .*/, `healthzBindAddress: 0.0.0.0:${ports.health}`],
      [/metricsBindAddress: .*/, `metricsBindAddress: 127.0.0.1:${ports.metrics}`],
      ...otherwise,
    ]),
  );
  return {
    server,
    ports,
    start: (...flags) => {
      const args = [`--config=${at("config.conf")}`, "--hostname-override=worker-a", ...flags];
      const daemon = new Daemon(args, { path: HERE }, sandboxEnvironment(), SOURCES);
      t.teardown(() => daemon.kill());
      return daemon;
    },
  };
}

function configMap(): (key: string) => string {
  const documents = parseAllDocuments(readFileSync(DEPLOYED, "utf8"));
  const map = documents.find((document) => document.getIn(["kind"]) === "ConfigMap");
  return (key) => String(map?.getIn(["data", key]));
}

/** Every place must be there, or the test would run with something else than it says. */
function replaced(text: string, places: readonly Replacement[]): string {
  return places.reduce((sum, [place, by]) => {
    if (!place.test(sum)) throw new Error(`the deployed configuration has no ${place}`);
    return sum.replace(place, by);
  }, text);
}
