// Tests the daemon's health answers while one peer holds thousands of idle and slow connections to its ports.
import "../support/enter-sandbox.ts";

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import t from "tap";
import { Daemon } from "../support/daemon.ts";
import { inNamespace, VARIANTS, variantEnvironment, variantSkip } from "../support/iptables-variant.ts";
import { makeNetns, removeNetns } from "../support/netns.ts";
import { skipReason } from "../support/sandbox.ts";

t.setTimeout(900_000);

const [VARIANT = "nft"] = VARIANTS;

/** Connections for each server. They are files of the process that opens them. */
const COUNT = 10_000;
const HEALTH_CHECK_PORT = 32_100;
const PROBES = 15;

const MANIFEST = `
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec:
  type: LoadBalancer
  clusterIP: 10.96.0.10
  externalTrafficPolicy: Local
  healthCheckNodePort: ${HEALTH_CHECK_PORT}
  ports: [{ port: 80, targetPort: 8080, nodePort: 30080 }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: web-1, namespace: shop, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ name: "", port: 8080, protocol: TCP }]
endpoints: [{ addresses: [10.244.1.5], nodeName: worker-a, conditions: { ready: true } }]
`;

t.test(
  "every probe is answered while 10,000 connections are held to each of two servers",
  { skip: skipReason() || variantSkip(VARIANT) },
  async (t) => {
    const node = await makeNetns("idle");
    t.teardown(() => removeNetns(node));
    const env = variantEnvironment(VARIANT);
    const folder = mkdtempSync("/run/fairlead-manifests-");
    t.teardown(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "cluster.yaml"), MANIFEST);
    const flags = ["--manifests", folder, "--cluster-cidr", "10.244.0.0/16", "--hostname-override", "worker-a"];
    const daemon = new Daemon(["run", ...flags, "--conntrack-max-per-core=0", "-v=2"], node, env);
    t.teardown(() => daemon.kill());
    await daemon.said(/"Opened the health-check port of a Service"/);

    const script = fileURLToPath(new URL("../support/hold-connections.mjs", import.meta.url));
    const ports = [10_256, HEALTH_CHECK_PORT].map(String);
    // The hard limit of open files may be lower than what both ports take together.
    const holders = ports.map((port) => {
      const command = [`--net=${node.path}`, "env", "-u", "NODE_OPTIONS", process.execPath, script, `${COUNT}`, port];
      const holder = spawn("setpriv", ["--pdeathsig", "KILL", "nsenter", ...command], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      t.teardown(() => holder.kill("SIGKILL"));
      return createInterface({ input: holder.stdout });
    });
    const established = async (lines: (typeof holders)[number]) => {
      for (;;) {
        const [line] = await once(lines, "line");
        const told: { readonly established: number } = JSON.parse(line);
        if (told.established >= COUNT) return;
      }
    };

    const probe = async (url: string) =>
      inNamespace(node, ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--max-time", "60", url], { env });
    const answers: string[] = [];
    const all = Promise.all(holders.map(established));
    let held = false;
    void all.then(() => {
      held = true;
    });
    for (let count = 0; count < PROBES || !held; count++) {
      answers.push(await probe("http://127.0.0.1:10256/livez"));
      answers.push(await probe(`http://127.0.0.1:${HEALTH_CHECK_PORT}/`));
      await wait(1000);
    }
    t.comment(`${answers.length} probes`);
    t.strictSame(new Set(answers), new Set(["200"]));
    t.equal(await daemon.stop(), 0);
  },
);
