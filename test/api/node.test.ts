import t from "tap";
import { readNode } from "../../src/api/node.ts";
import { fullObject, type Path, spoil } from "../support/full-objects.ts";

const NODE = {
  kind: "Node",
  name: "worker-a",
  zone: "zone-a",
  addresses: ["192.0.2.10", "198.51.100.1"],
  podCIDRs: ["10.244.0.0/24", "fd00:244::/64"],
  deleting: false,
  toBeDeleted: false,
};

/** Path, value there, what differs from the full Node. */
const ACCEPTED: Readonly<Record<string, readonly [Path, unknown, object]>> = {
  "everything said": [["kind"], "Node", {}],
  "no zone": [["metadata", "labels"], null, { zone: "" }],
  "an empty zone": [["metadata", "labels", "topology.kubernetes.io/zone"], null, { zone: "" }],
  "no status": [["status"], null, { addresses: [] }],
  "no spec": [["spec"], null, { podCIDRs: [] }],
  "one range of Pods, in the field of old": [["spec", "podCIDRs"], null, { podCIDRs: ["10.244.0.0/24"] }],
  "a range with host bits": [["spec"], { podCIDRs: ["10.244.0.7/24"] }, { podCIDRs: ["10.244.0.0/24"] }],
  "being deleted": [["metadata", "deletionTimestamp"], "2026-01-02T03:04:05Z", { deleting: true }],
  "deleted at no time": [["metadata", "deletionTimestamp"], null, {}],
  "the autoscaler's announcement": [
    ["spec", "taints"],
    [
      { key: "other", effect: "NoSchedule" },
      { key: "ToBeDeletedByClusterAutoscaler", value: "1", effect: "NoSchedule" },
    ],
    { toBeDeleted: true },
  ],
  "cordoned, not ready, tainted otherwise": [
    ["spec", "taints"],
    [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }, {}],
    {},
  ],
  "inner addresses come first": [
    ["status", "addresses"],
    [
      { type: "Hostname", address: "worker-a" },
      { type: "ExternalIP", address: "198.51.100.1" },
      { type: "InternalIP", address: "192.0.2.10" },
      { type: "InternalIP", address: "2001:DB8:a::10" },
    ],
    { addresses: ["192.0.2.10", "2001:db8:a::10", "198.51.100.1"] },
  ],
};

for (const [name, [path, value, difference]] of Object.entries(ACCEPTED)) {
  t.test(name, (t) => {
    const reading = readNode(spoil(fullObject("Node"), path, value), {});
    t.strictSame(reading, { objects: [{ ...NODE, ...difference }], problems: [], passedOver: [] });
    t.end();
  });
}

t.test("an address that cannot be read is dropped alone", (t) => {
  const reading = readNode(spoil(fullObject("Node"), ["status", "addresses", 0, "address"], "here"), {});
  t.strictSame(reading.objects, [{ ...NODE, addresses: ["198.51.100.1"] }]);
  t.strictSame(
    reading.problems.map(({ message }) => message),
    ['Node worker-a: status.addresses[0].address: must be an IP address, not "here"'],
  );
  t.end();
});

/** Path, value there, the complaint. */
const REFUSED: Readonly<Record<string, readonly [Path, unknown, string]>> = {
  "a zone with blanks": [
    ["metadata", "labels", "topology.kubernetes.io/zone"],
    "zone a",
    'metadata.labels["topology.kubernetes.io/zone"]: must be a label value, not "zone a"',
  ],
  "a range of Pods without length": [
    ["spec", "podCIDRs", 1],
    "fd00:244::",
    'spec.podCIDRs[1]: must be a CIDR, not "fd00:244::"',
  ],
  "the only range of Pods": [["spec"], { podCIDR: "x" }, 'spec.podCIDR: must be a CIDR, not "x"'],
};

for (const [name, [path, value, complaint]] of Object.entries(REFUSED)) {
  t.test(`refused: ${name}`, (t) => {
    const reading = readNode(spoil(fullObject("Node"), path, value), {});
    t.strictSame(reading.objects, []);
    t.strictSame(
      reading.problems.map(({ message }) => message),
      [`Node worker-a: ${complaint}`],
    );
    t.end();
  });
}
