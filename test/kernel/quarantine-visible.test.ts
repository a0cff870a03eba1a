// Tests that a Service whose rules the kernel rejects is visible to load balancers, Prometheus, Events and operators.
import "../support/enter-sandbox.ts";

import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import t, { type Test } from "tap";
import type { ApiObject } from "../support/api-server/store.ts";
import { makeClusterNode } from "../support/cluster-node.ts";
import { ask, freePort } from "../support/http-client.ts";
import { sampleOf } from "../support/prometheus-text.ts";
import { sandboxEnvironment, skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(240_000);

/** The endpoint whose rule the kernel is made to reject. */
const REJECTED = "10.244.66.66";

const NODE: ApiObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "worker-a" },
  status: { addresses: [{ type: "InternalIP", address: "192.0.2.10" }] },
};

function service(name: string, clusterIP: string, healthCheckNodePort: number): ApiObject {
  const ports = [{ port: 80, protocol: "TCP" }];
  const spec = { type: "LoadBalancer", clusterIP, externalTrafficPolicy: "Local", healthCheckNodePort, ports };
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "shop" }, spec };
}

function slice(name: string, address: string): ApiObject {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-1`, namespace: "shop", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: [{ name: "", protocol: "TCP", port: 8080 }],
    endpoints: [{ addresses: [address], nodeName: "worker-a", conditions: { ready: true } }],
  };
}

/** Wraps the restore tools: the rule of one endpoint names an accounting object that the kernel does not have. */
function rejectOneRule(t: Test): void {
  const folder = mkdtempSync("/run/fairlead-tools-");
  t.teardown(() => rmSync(folder, { recursive: true }));
  const before = process.env.PATH;
  const { PATH = "" } = sandboxEnvironment();
  const rewrite = `s/(-A KUBE-SEP.*) -j DNAT --to-destination ${REJECTED}:.*/\\1 -m nfacct --nfacct-name none -j RETURN/`;
  for (const name of ["iptables-restore", "iptables-nft-restore", "iptables-legacy-restore"]) {
    const real = PATH.split(":")
      .map((path) => join(path, name))
      .find((path) => existsSync(path));
    if (real === undefined) continue;
    writeFileSync(join(folder, name), `#!/bin/sh\nsed -E '${rewrite}' | ${real} "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  process.env.PATH = `${folder}:${PATH}`;
  t.teardown(() => {
    process.env.PATH = before;
  });
}

/** Asks until it holds; the last answer is shown when it never does. */
async function until<T>(t: Test, name: string, find: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  let found = await find();
  for (let tries = 0; tries < 600 && !holds(found); tries++) {
    await sleep(100);
    found = await find();
  }
  t.ok(holds(found), name, { found });
  return found;
}

t.test(
  "a quarantined Service is visible wherever one looks for it, until it recovers",
  { skip: skipReason() },
  async (t) => {
    rejectOneRule(t);
    const node = await makeClusterNode(t);
    const { server, ports } = node;
    const [web, api] = [await freePort(), await freePort()];
    const objects = [service("web", "10.96.0.10", web), slice("web", REJECTED)];
    for (const object of [NODE, ...objects, service("api", "10.96.0.11", api), slice("api", "10.244.1.1")]) {
      server.set(object);
    }
    const daemon = node.start();
    const check = (port: number) => async () => ask({ port }).catch(() => undefined);
    const metrics = async () => (await ask({ port: ports.metrics, path: "/metrics" })).body;

    await until(t, "an innocent Service is served", check(api), (answer) => answer?.status === 200);
    const unserved = await until(t, "its health-check node port fails", check(web), (answer) => answer?.status === 503);
    t.match(JSON.parse(`${unserved?.body}`), { localEndpoints: 0, serviceProxyHealthy: true });
    await daemon.said(/quarantined .* servicePort="shop\/web\/TCP"/);
    await daemon.said(/RULE_APPEND failed/);
    const text = await metrics();
    t.equal(sampleOf(text, "fairlead_quarantined_service_ports", { ip_family: "IPv4" }), 1);
    const named = { ip_family: "IPv4", service_port: "shop/web/TCP" };
    t.equal(sampleOf(text, "fairlead_quarantined_service_port", named), 1);
    t.match(JSON.parse((await ask({ port: ports.metrics, path: "/rules" })).body), {
      families: {
        IPv4: { upToDate: false, quarantined: [{ servicePort: "shop/web/TCP", reason: /RULE_APPEND failed/ }] },
      },
    });
    const { status, body } = await ask({ port: ports.health, path: "/healthz" });
    t.match(
      { status, ...JSON.parse(body).status },
      { status: 200, IPv4: { healthy: true, quarantinedServicePorts: 1 } },
    );
    const events = await until(
      t,
      "an Event on the Service",
      async () => server.events.filter(({ body }) => JSON.stringify(body).includes("ServiceQuarantined")),
      (found) => found.length > 0,
    );
    t.match(events[0]?.body, {
      type: "Warning",
      regarding: { kind: "Service", namespace: "shop", name: "web" },
      note: /worker-a.*shop\/web\/TCP.*RULE_APPEND failed/s,
    });

    server.set(slice("web", "10.244.1.2"));
    await until(t, "it passes again", check(web), (answer) => answer?.status === 200);
    await daemon.said(/"ServicePort is no longer quarantined"/);
    t.equal(sampleOf(await metrics(), "fairlead_quarantined_service_port", named), undefined);
    t.equal(await daemon.stop(), 0);
  },
);
