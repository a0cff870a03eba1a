// Does the daemon serve a node of a cluster, followed from its API server, as kube-proxy's DaemonSet does?
import "../support/enter-sandbox.ts";

import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import t, { type Test } from "tap";
import type { ApiObject } from "../support/api-server/store.ts";
import { makeClusterNode } from "../support/cluster-node.ts";
import { ask } from "../support/http-client.ts";
import { sampleOf } from "../support/prometheus-text.ts";
import { skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";
import { udpClient } from "../support/udp-client.ts";

limitTime(180_000);

const skip = skipReason();

const NODE: ApiObject = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "worker-a" },
  status: { addresses: [{ type: "InternalIP", address: "192.0.2.10" }] },
};

function service(name: string, spec: object): ApiObject {
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "shop" }, spec };
}

function slice(name: string, port: number, addresses: readonly string[], given: object = {}): ApiObject {
  const protocol = name === "dns" ? "UDP" : "TCP";
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${name}-1`, namespace: "shop", labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    ports: [{ name: "", protocol, port }],
    endpoints: addresses.map((address) => ({ addresses: [address], ...given })),
  };
}

const WEB = service("web", { type: "ClusterIP", clusterIP: "10.96.0.10", ports: [{ port: 80, protocol: "TCP" }] });

async function natRules(): Promise<string> {
  const { stdout } = await execa("iptables-save", ["-t", "nat"]);
  // Counters of built-in chains, and the time of day, are nobody's rules.
  return stdout.replace(/^[#:].*$/gm, "");
}

/** Waits until it holds, and fails with what there was instead. */
async function until(t: Test, name: string, holds: () => Promise<boolean>, shown?: () => Promise<unknown>) {
  for (let tries = 0; tries < 400; tries++) {
    if (await holds()) return t.pass(name);
    await sleep(50);
  }
  return t.fail(name, { found: await shown?.() });
}

/** The daemon's metrics as they stand. */
async function sums(port: number): Promise<(name: string, labels?: Record<string, string>) => number | undefined> {
  const { body } = await ask({ port, path: "/metrics" });
  return (name, labels) => sampleOf(body, name, labels);
}

t.test("from the first list to SIGTERM, with kubeadm's own configuration", { skip }, async (t) => {
  const node = await makeClusterNode(t);
  const { server, ports } = node;
  for (const object of [NODE, WEB, slice("web", 8080, ["10.244.1.1"])]) server.set(object);
  const daemon = node.start();
  await until(t, "the first rules", async () => (await natRules()).includes("10.244.1.1:8080"), natRules);
  const { status, body } = await ask({ port: ports.health, path: "/healthz" });
  t.equal(status, 200);
  t.match(JSON.parse(body), { nodeEligible: true, healthy: true, status: { IPv4: { healthy: true } } });
  t.equal((await ask({ port: ports.metrics, path: "/proxyMode" })).body, "iptables");
  t.match(JSON.parse((await ask({ port: ports.metrics, path: "/configz" })).body), {
    "kubeproxy.config.k8s.io": { kind: "KubeProxyConfiguration", clusterCIDR: "10.244.0.0/16", mode: "iptables" },
  });

  daemon.signal("SIGHUP");
  const triggered = { "endpoints.kubernetes.io/last-change-trigger-time": new Date().toISOString() };
  const changed = slice("web", 8080, ["10.244.1.2"]);
  server.set({ ...changed, metadata: { ...changed.metadata, annotations: triggered } });
  await until(t, "a change", async () => !(await natRules()).includes("10.244.1.1:8080"), natRules);
  t.match(await natRules(), "10.244.1.2:8080");
  await until(t, "its latency is measured", async () => {
    return (
      (await sums(ports.metrics))("kubeproxy_network_programming_duration_seconds_count", { ip_family: "IPv4" }) === 1
    );
  });
  const sample = await sums(ports.metrics);
  t.equal(sample("kubeproxy_sync_proxy_rules_service_changes_total"), 2, "counted once for each family");
  t.equal(sample("kubeproxy_sync_proxy_rules_endpoint_changes_total"), 2);
  t.equal(sample("kubeproxy_sync_proxy_rules_endpoint_changes_pending"), 0);
  const labelled = { ...changed.metadata, annotations: triggered, labels: { ...changed.metadata.labels, a: "b" } };
  server.set({ ...changed, metadata: labelled });
  await until(t, "an event that changes no rule is counted, and does not stay pending", async () => {
    const now = await sums(ports.metrics);
    return (
      now("kubeproxy_sync_proxy_rules_endpoint_changes_total") === 3 &&
      now("kubeproxy_sync_proxy_rules_endpoint_changes_pending") === 0
    );
  });
  const watches = server.requests.filter(({ verb }) => verb === "watch").length;
  t.equal(
    sample("rest_client_requests_total", { code: "200", host: new URL(server.url).host, method: "GET" }),
    server.requests.filter(({ method }) => method === "GET").length,
    `${watches} watches among them`,
  );
  await until(t, "the Node's Event", async () => server.events.length > 0);
  t.match(server.events, [{ body: { reason: "Starting", regarding: { kind: "Node", name: "worker-a" } } }]);

  const taints = [{ key: "ToBeDeletedByClusterAutoscaler", effect: "NoSchedule" }];
  server.set({ ...NODE, spec: { taints } });
  const eligible = async () => (await ask({ port: ports.health, path: "/healthz" })).status === 200;
  await until(t, "a Node that will go is not eligible", async () => !(await eligible()));
  t.equal((await ask({ port: ports.health, path: "/livez" })).status, 200, "but alive");

  const before = await natRules();
  t.equal(await daemon.stop(), 0);
  t.equal(await natRules(), before, "rules stay");
  const again = node.start();
  await again.said(/"Starting"/);
  await until(
    t,
    "it looked",
    async () => (await sums(ports.metrics))("fairlead_passes_total", { ip_family: "IPv4", scope: "full" }) === 1,
  );
  const sent = { ip_family: "IPv4", table: "nat" };
  t.equal(
    (await sums(ports.metrics))("kubeproxy_sync_proxy_rules_iptables_last", sent),
    0,
    "right rules: nothing is sent",
  );
  t.equal(await again.stop(), 0);
});

t.test("while Nodes are forbidden /healthz says so and the rules of before stay", { skip }, async (t) => {
  const node = await makeClusterNode(t);
  const { server, ports } = node;
  for (const object of [NODE, WEB, slice("web", 8080, ["10.244.1.1"])]) server.set(object);
  const first = node.start();
  await until(t, "the first rules", async () => (await natRules()).includes("10.244.1.1:8080"), natRules);
  await first.stop();
  const before = await natRules();

  const trouble = { type: "status", code: 403, reason: "Forbidden" } as const;
  server.fault({ resource: "nodes", trouble, times: Number.POSITIVE_INFINITY });
  const daemon = node.start();
  await daemon.said(/cannot list nodes: 403/);
  server.set(slice("web", 8080, ["10.244.1.2"]));
  for (const path of ["/healthz", "/livez"]) {
    const { status, body } = await ask({ port: ports.health, path });
    t.equal(status, 503, path);
    t.match(JSON.parse(body).reasons, [/^waiting for Node "worker-a" and its addresses: cannot list nodes: 403/]);
  }
  t.equal(await natRules(), before, "rules stay");

  server.clearFaults();
  await until(t, "the change of meanwhile", async () => (await natRules()).includes("10.244.1.2:8080"), natRules);
  t.equal((await ask({ port: ports.health, path: "/healthz" })).status, 200);
  t.equal(await daemon.stop(), 0);
});

t.test("a value that cannot be read costs no rule that was there", { skip }, async (t) => {
  const node = await makeClusterNode(t);
  const { server } = node;
  for (const object of [NODE, WEB, slice("web", 8080, ["10.244.1.1"])]) server.set(object);
  const daemon = node.start();
  await until(t, "the first rules", async () => (await natRules()).includes("10.244.1.1:8080"), natRules);
  const before = await natRules();

  server.set(service("web", { type: "ClusterIP", clusterIP: "10.96.0.10", ports: [{ port: 70_000 }] }));
  await daemon.said(
    /Service shop\/web: spec\.ports\[0\]\.port: .* not 70000; the last valid version of the object stays in use/,
  );
  t.equal(await natRules(), before, "a Service without any readable port stays as it was");

  const spec = { type: "Future", clusterIP: "10.96.0.10", sessionAffinity: "Cookie", internalTrafficPolicy: "Near" };
  server.set(service("web", { ...spec, ports: [{ port: 80, nodePort: -1 }] }));
  server.set(slice("web", 8080, ["10.244.1.1", "10.244.1.300"], { hints: { forZones: [{ name: "" }] } }));
  await daemon.said(/EndpointSlice shop\/web-1: endpoints\[1\]\.addresses\[0\]/);
  await daemon.said(/spec\.internalTrafficPolicy: must be Cluster or Local, not \\"Near\\"/);
  t.equal(await natRules(), before, "what can be read means what it meant");
  t.equal(daemon.lines.filter((line) => line.includes("forZones")).length, 0, "a hint for the empty zone is valid");
  t.equal(await daemon.stop(), 0);
});

t.test("--init-only sets the kernel up and writes no rule", { skip }, async (t) => {
  await execa("sysctl", ["-qw", "net.ipv4.conf.all.route_localnet=0"]);
  await execa("iptables", ["-t", "nat", "-F"]);
  const node = await makeClusterNode(t);
  node.server.set(NODE);
  const { code } = await node.start("--init-only").finish();
  t.equal(code, 0);
  t.equal((await execa("sysctl", ["-n", "net.ipv4.conf.all.route_localnet"])).stdout, "1");
  t.notMatch(await natRules(), /-j KUBE/);
});

t.test("a load balancer's check follows the endpoints on this node", { skip }, async (t) => {
  const node = await makeClusterNode(t);
  const { server } = node;
  const healthCheckNodePort = 32_100;
  const spec = {
    type: "LoadBalancer",
    clusterIP: "10.96.0.11",
    externalTrafficPolicy: "Local",
    healthCheckNodePort,
    ports: [{ port: 80, protocol: "TCP", nodePort: 31_080 }],
  };
  const here = { nodeName: "worker-a" };
  for (const object of [NODE, service("front", spec), slice("front", 80, ["10.244.1.3"], here)]) server.set(object);
  node.start();
  const answers = async () => {
    return ask({ port: healthCheckNodePort }).then(
      ({ status, headers, body }) => ({ status, weight: headers["x-load-balancing-endpoint-weight"], body }),
      () => undefined,
    );
  };
  const is = async (status: number) => (await answers())?.status === status;
  await until(t, "an endpoint here", () => is(200), answers);
  t.match(await answers(), { weight: "1", body: /"localEndpoints": 1/ });
  server.set(
    slice("front", 80, ["10.244.1.3"], { ...here, conditions: { ready: false, serving: true, terminating: true } }),
  );
  await until(t, "one that only drains: no new clients", () => is(503), answers);
  server.set(slice("front", 80, ["10.244.1.3", "10.244.1.4"], here));
  await until(t, "two", async () => (await answers())?.weight === "2", answers);
  server.set(slice("front", 80, ["10.244.2.4"], { nodeName: "worker-b" }));
  await until(t, "none here", () => is(503), answers);
  server.delete({ kind: "Service", namespace: "shop", name: "front" });
  await until(t, "without the Service nobody answers", async () => (await answers()) === undefined, answers);
});

t.test("a client that keeps its socket follows a replaced endpoint", { skip }, async (t) => {
  const pods = ["10.244.1.21", "10.244.1.22"] as const;
  await execa("ip", ["link", "add", "pods", "type", "bridge"]);
  t.teardown(() => execa("ip", ["link", "del", "pods"]));
  for (const line of [
    ...pods.map((pod) => `addr add ${pod}/24 dev pods`),
    "link set pods up",
    "route add 10.96.0.0/16 dev pods",
  ]) {
    await execa("ip", line.split(" "));
  }
  for (const pod of pods) {
    const socket = createSocket("udp4");
    socket.on("message", (_, { port, address }) => socket.send(JSON.stringify({ reached: pod }), port, address));
    socket.bind(5353, pod);
    await once(socket, "listening");
    t.teardown(() => socket.close());
  }
  const node = await makeClusterNode(t);
  const { server, ports } = node;
  const spec = { type: "ClusterIP", clusterIP: "10.96.0.53", ports: [{ port: 53, protocol: "UDP" }] };
  for (const object of [NODE, service("dns", spec), slice("dns", 5353, [pods[0]])]) server.set(object);
  node.start();
  await until(t, "the rules", async () => (await natRules()).includes("10.244.1.21:5353"), natRules);
  const client = await udpClient("10.96.0.53", 53);
  t.teardown(() => client.close());
  t.equal(await client.ask(), pods[0]);
  server.set(slice("dns", 5353, [pods[1]]));
  const deleted = async () =>
    (await sums(ports.metrics))("kubeproxy_conntrack_reconciler_deleted_entries_total", { ip_family: "IPv4" });
  await until(t, "the stale flow is deleted", async () => (await deleted()) === 1, deleted);
  t.equal(await client.ask(), pods[1], "the very next packet reaches the new one");
});

t.test("after a storm of changes the kernel holds what the last one said, with few restores", { skip }, async (t) => {
  const node = await makeClusterNode(t);
  const { server, ports } = node;
  const COUNT = 40;
  server.set(NODE);
  for (let index = 0; index < COUNT; index++) {
    const spec = { type: "ClusterIP", clusterIP: `10.96.1.${index + 1}`, ports: [{ port: 80, protocol: "TCP" }] };
    server.set(service(`s${index}`, spec));
    server.set(slice(`s${index}`, 80, ["10.244.3.1"]));
  }
  node.start();
  const targets = async () =>
    [...(await natRules()).matchAll(/--to-destination 10\.244\.(\S+):80/g)].map(([, at]) => at);
  await until(t, "all are served", async () => (await targets()).length === COUNT, targets);
  const passes = async () => {
    const sample = await sums(ports.metrics);
    return ["full", "partial"].reduce(
      (sum, scope) => sum + (sample("fairlead_passes_total", { ip_family: "IPv4", scope }) ?? 0),
      0,
    );
  };
  const before = await passes();
  const rounds = 50;
  for (let round = 1; round <= rounds; round++) {
    for (let index = 0; index < COUNT; index++)
      server.set(slice(`s${index}`, 80, [`10.244.${3 + (round % 2)}.${round}`]));
    await sleep(20);
  }
  const last = `${3 + (rounds % 2)}.${rounds}`;
  await until(t, "the last change", async () => (await targets()).every((at) => at === last), targets);
  t.equal((await targets()).length, COUNT);
  const took = (await passes()) - before;
  t.ok(took <= rounds, `${took} passes for ${rounds * COUNT} changes`);
});
