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

/** Path, value there, the complaint, what differs from the full Node. */
const COSTS: Readonly<Record<string, readonly [Path, unknown, string, object]>> = {
  "an address that cannot be read": [
    ["status", "addresses", 0, "address"],
    "here",
    'status.addresses[0].address: must be an IP address, not "here"',
    { addresses: ["198.51.100.1"] },
  ],
  "an address that is a number": [
    ["status", "addresses", 0, "address"],
    10,
    "status.addresses[0].address: must be a string, not 10",
    { addresses: ["198.51.100.1"] },
  ],
  "an address without type": [
    ["status", "addresses", 0, "type"],
    undefined,
    "status.addresses[0].type: is missing, must be a string",
    { addresses: ["198.51.100.1"] },
  ],
  "addresses that are no list": [
    ["status", "addresses"],
    "192.0.2.10",
    'status.addresses: must be a list, not "192.0.2.10"',
    { addresses: [] },
  ],
  "a zone with blanks": [
    ["metadata", "labels", "topology.kubernetes.io/zone"],
    "zone a",
    'metadata.labels["topology.kubernetes.io/zone"]: must be a label value, not "zone a"',
    { zone: "" },
  ],
  "a zone that is a number": [
    ["metadata", "labels", "topology.kubernetes.io/zone"],
    1,
    'metadata.labels["topology.kubernetes.io/zone"]: must be a string, not 1',
    { zone: "" },
  ],
  "a range of Pods without length": [
    ["spec", "podCIDRs", 1],
    "fd00:244::",
    'spec.podCIDRs[1]: must be a CIDR, not "fd00:244::"',
    { podCIDRs: ["10.244.0.0/24"] },
  ],
  "ranges of Pods that are no list, beside the single one": [
    ["spec", "podCIDRs"],
    true,
    "spec.podCIDRs: must be a list, not true",
    { podCIDRs: ["10.244.0.0/24"] },
  ],
  "a taint that is a text": [["spec", "taints"], ["x"], 'spec.taints[0]: must be an object, not "x"', {}],
  "a time of deletion that is a number": [
    ["metadata", "deletionTimestamp"],
    1,
    "metadata.deletionTimestamp: must be a string, not 1",
    {},
  ],
};

for (const [name, [path, value, complaint, difference]] of Object.entries(COSTS)) {
  t.test(`costs no more than itself: ${name}`, (t) => {
    const reading = readNode(spoil(fullObject("Node"), path, value), {});
    t.strictSame(reading.objects, [{ ...NODE, ...difference }]);
    t.strictSame(
      reading.problems.map(({ message }) => message),
      [`Node worker-a: ${complaint}`],
    );
    t.end();
  });
}

// Another podCIDR than at start ends the daemon in detect-local mode NodeCIDR.
t.test("unreadable: a Node of which no podCIDR can be read", (t) => {
  const reading = readNode(spoil(fullObject("Node"), ["spec"], { podCIDR: "x" }), {});
  t.strictSame(reading.objects, []);
  t.strictSame(
    reading.problems.map(({ message }) => message),
    ['Node worker-a: spec.podCIDR: must be a CIDR, not "x"'],
  );
  t.strictSame(readNode(spoil(fullObject("Node"), ["spec"], 7), {}).objects, []);
  t.end();
});
