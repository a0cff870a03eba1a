import t from "tap";
import type {
  EndpointSlice,
  KubernetesObject,
  Node,
  Pod,
  Service,
  ServiceRecord,
  Snapshot,
} from "../../src/api/objects.ts";
import { compareServices } from "../../src/api/service-name.ts";
import { findItem } from "../../src/paged-list.ts";
import type { Change } from "../../src/source/source.ts";
import { Tracker } from "../../src/source/tracker.ts";

function service(name: string, more: Partial<Service> = {}): Service {
  return {
    kind: "Service",
    namespace: "shop",
    name,
    type: "ClusterIP",
    clusterIP: "10.96.7.1",
    clusterIPs: [],
    ipFamilies: [],
    hasSelector: true,
    ports: [{ name: "http", protocol: "TCP", port: 80, nodePort: 0 }],
    externalIPs: [],
    ingressVIPs: [],
    sourceRanges: "everyone",
    affinitySeconds: 0,
    externalTrafficPolicy: "Cluster",
    internalTrafficPolicy: "Cluster",
    healthCheckNodePort: 0,
    foreignProxy: false,
    ...more,
  };
}

function slice(name: string, of: string, more: Partial<EndpointSlice> = {}): EndpointSlice {
  const ports = [{ name: "http", protocol: "TCP" as const, port: 8080 }];
  const family = "IPv4" as const;
  return {
    kind: "EndpointSlice",
    namespace: "shop",
    name,
    service: of,
    family,
    headless: false,
    ports,
    endpoints: [],
    ...more,
  };
}

const node: Node = {
  kind: "Node",
  name: "worker-a",
  zone: "zone-a",
  addresses: [],
  podCIDRs: [],
  deleting: false,
  toBeDeleted: false,
};
const pod: Pod = { kind: "Pod", namespace: "shop", name: "cart-0", nodeName: "worker-a", ips: [] };

function set(...objects: readonly KubernetesObject[]): readonly Change[] {
  return objects.map((object) => ({ type: "set", object }));
}

function remove(kind: KubernetesObject["kind"], name: string): readonly Change[] {
  return [{ type: "delete", identity: { kind, namespace: kind === "Node" ? "" : "shop", name } }];
}

/** A tracker that waits for nothing. */
function track(...changes: readonly Change[]): Tracker {
  const tracker = new Tracker([]);
  tracker.apply(changes);
  return tracker;
}

function look(tracker: Tracker): Snapshot {
  const snapshot = tracker.snapshot();
  if (!snapshot) throw new Error("there is no snapshot");
  return snapshot;
}

function recordOf({ services }: Snapshot, name: string): ServiceRecord | undefined {
  return findItem(services, ({ service }) => compareServices(service, { namespace: "shop", name }));
}

/** Service → names of its slices. */
function print(tracker: Tracker): Readonly<Record<string, readonly string[]>> {
  const records = [...look(tracker).services].map(
    ({ service, slices }) => [`shop/${service.name}`, slices.map(({ name }) => name)] as const,
  );
  return Object.fromEntries(records);
}

t.test("there is no snapshot before every awaited kind is complete", (t) => {
  const tracker = new Tracker(["Service", "EndpointSlice"]);
  tracker.apply([...set(service("web")), { type: "complete", kind: "Service" }]);
  t.equal(tracker.snapshot(), undefined);
  tracker.apply([{ type: "complete", kind: "Node" }]);
  t.equal(tracker.snapshot(), undefined);
  tracker.apply([{ type: "complete", kind: "EndpointSlice" }]);
  t.strictSame(print(tracker), { "shop/web": [] });
  t.end();
});

t.test("a Service has its slices by name, in whatever order they arrive", (t) => {
  const other = slice("web-a", "web", { namespace: "office" });
  const tracker = track(
    ...set(slice("web-b", "web"), other, service("web"), slice("web-a", "web"), slice("api-a", "api")),
  );
  t.strictSame(print(tracker), { "shop/web": ["web-a", "web-b"] });
  tracker.apply(set(service("api")));
  t.strictSame(print(tracker), { "shop/web": ["web-a", "web-b"], "shop/api": ["api-a"] });
  t.end();
});

t.test("a slice that is labelled for another Service leaves the old one", (t) => {
  const tracker = track(...set(service("web"), service("api"), slice("a", "web")));
  t.strictSame(print(tracker), { "shop/web": ["a"], "shop/api": [] });
  tracker.apply(set(slice("a", "api")));
  t.strictSame(print(tracker), { "shop/web": [], "shop/api": ["a"] });
  t.end();
});

const HIDDEN: Readonly<Record<string, Partial<Service>>> = {
  "a Service of another proxy": { foreignProxy: true },
  "a headless Service": { clusterIP: "None" },
};
for (const [name, hidden] of Object.entries(HIDDEN)) {
  t.test(`${name} is hidden, and back when it is none any more`, (t) => {
    const tracker = track(...set(service("web"), slice("a", "web")));
    tracker.apply(set(service("web", hidden)));
    t.strictSame(print(tracker), {});
    tracker.apply(set(service("web")));
    t.strictSame(print(tracker), { "shop/web": ["a"] });
    t.end();
  });
}

t.test("a headless label hides the slice alone", (t) => {
  const tracker = track(...set(service("web"), slice("a", "web"), slice("b", "web", { headless: true })));
  t.strictSame(print(tracker), { "shop/web": ["a"] });
  t.end();
});

t.test("what is deleted is gone, what is unknown may be deleted", (t) => {
  const tracker = track(...set(service("web"), slice("a", "web"), slice("b", "web"), node, pod));
  tracker.apply([...remove("EndpointSlice", "a"), ...remove("Node", "worker-a"), ...remove("Pod", "cart-0")]);
  t.strictSame(print(tracker), { "shop/web": ["b"] });
  t.equal(look(tracker).nodes.size, 0);
  t.equal(look(tracker).pods.size, 0);
  const before = look(tracker);
  for (const kind of ["Service", "EndpointSlice", "Endpoints", "Node", "Pod"] as const)
    tracker.apply(remove(kind, "x"));
  t.equal(tracker.snapshot(), before);
  tracker.apply(remove("Service", "web"));
  t.strictSame(print(tracker), {});
  tracker.apply(set(service("web")));
  t.strictSame(print(tracker), { "shop/web": ["b"] });
  t.end();
});

t.test("legacy Endpoints serve a Service without selector", (t) => {
  const mirrored = [slice("m4", "db"), slice("m6", "db", { family: "IPv6" }), slice("mh", "db", { headless: true })];
  const endpoints = { kind: "Endpoints" as const, namespace: "shop", name: "db", slices: mirrored };
  const tracker = track(...set(service("db", { hasSelector: false }), endpoints));
  t.strictSame(print(tracker), { "shop/db": ["m4", "m6"] });

  tracker.apply(set(slice("z", "db")));
  t.strictSame(print(tracker), { "shop/db": ["m6", "z"] }, "a slice that was written wins in its family");
  tracker.apply(set(slice("z", "db", { headless: true })));
  t.strictSame(print(tracker), { "shop/db": ["m4", "m6"] }, "unless it is hidden");

  tracker.apply(set(service("db")));
  t.strictSame(print(tracker), { "shop/db": [] }, "with a selector they do not count");
  tracker.apply([...set(service("db", { hasSelector: false })), ...remove("Endpoints", "db")]);
  t.strictSame(print(tracker), { "shop/db": [] });
  t.end();
});

t.test("sameness is identity", (t) => {
  const many = Array.from({ length: 1000 }, (_, index) => [
    service(`s${index}`),
    slice(`s${index}-a`, `s${index}`),
  ]).flat();
  const tracker = track(...set(...many, node, pod));
  const first = look(tracker);
  const countSame = (later: Snapshot) =>
    [...later.services].filter((record) => recordOf(first, record.service.name) === record).length;

  tracker.apply(set(...structuredClone(many), structuredClone(node), structuredClone(pod)));
  t.equal(look(tracker), first, "all objects again, in other copies: nothing changed");

  tracker.apply(set(slice("s7-a", "s7", { endpoints: [], ports: [] })));
  const second = look(tracker);
  t.equal(countSame(second), 999, "a slice changed: one record is new");
  t.equal(recordOf(second, "s7")?.service, recordOf(first, "s7")?.service, "its Service is the same");
  t.equal(second.nodes, first.nodes);
  t.equal(second.pods, first.pods);
  t.strictSame(recordOf(first, "s7")?.slices[0]?.ports.length, 1, "the old snapshot is as it was");

  tracker.apply(set(slice("s7-a", "s7")));
  t.equal(countSame(look(tracker)), 999, "changed back: a new record again");

  const third = look(tracker);
  tracker.apply(set(slice("lost", "nobody")));
  t.equal(look(tracker), third, "a slice of no Service changes nothing");
  tracker.apply(set(slice("hidden", "s9", { headless: true })));
  t.equal(look(tracker), third, "nor does a hidden one");

  tracker.apply(set({ ...node, zone: "zone-b" }));
  const fourth = look(tracker);
  t.equal(fourth.services, third.services, "another zone leaves the Services the same");
  t.not(fourth.nodes, third.nodes);
  t.end();
});
