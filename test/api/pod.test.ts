import t from "tap";
import { readPod } from "../../src/api/pod.ts";
import { fullObject, type Path, spoil } from "../support/full-objects.ts";

const POD = {
  kind: "Pod",
  namespace: "shop",
  name: "cart-0",
  nodeName: "worker-a",
  ips: ["10.244.0.31", "fd00:244::31"],
};

/** Path, value there, what differs from the full Pod. */
const ACCEPTED: Readonly<Record<string, readonly [Path, unknown, object]>> = {
  "both families": [["kind"], "Pod", {}],
  "one address, in the field of old": [["status", "podIPs"], null, { ips: ["10.244.0.31"] }],
  "an address yet to come": [["status"], { phase: "Pending" }, { ips: [] }],
  "no status": [["status"], null, { ips: [] }],
  "no node yet": [["spec"], {}, { nodeName: "" }],
  "no spec": [["spec"], null, { nodeName: "" }],
};

for (const [name, [path, value, difference]] of Object.entries(ACCEPTED)) {
  t.test(name, (t) => {
    const reading = readPod(spoil(fullObject("Pod"), path, value), {});
    t.strictSame(reading, { objects: [{ ...POD, ...difference }], problems: [], passedOver: [] });
    t.end();
  });
}

/** Path, value there, the complaint, what differs from the full Pod. */
const COSTS: Readonly<Record<string, readonly [Path, unknown, string, object]>> = {
  "one of two addresses": [
    ["status", "podIPs", 1, "ip"],
    "fd00::x",
    'status.podIPs[1].ip: must be an IP address, not "fd00::x"',
    { ips: ["10.244.0.31"] },
  ],
  "addresses that are no list, beside the single one": [
    ["status", "podIPs"],
    "fd00::1",
    'status.podIPs: must be a list, not "fd00::1"',
    { ips: ["10.244.0.31"] },
  ],
  "the single address, beside a list": [["status", "podIP"], 4, "status.podIP: must be a string, not 4", {}],
  "a status that is no object": [["status"], "Running", 'status: must be an object, not "Running"', { ips: [] }],
  "a node that is no name": [
    ["spec", "nodeName"],
    "a b",
    'spec.nodeName: must be a DNS subdomain, not "a b"',
    { nodeName: "" },
  ],
};

for (const [name, [path, value, complaint, difference]] of Object.entries(COSTS)) {
  t.test(`costs no more than itself: ${name}`, (t) => {
    const reading = readPod(spoil(fullObject("Pod"), path, value), {});
    t.strictSame(reading.objects, [{ ...POD, ...difference }]);
    t.strictSame(
      reading.problems.map(({ message }) => message),
      [`Pod shop/cart-0: ${complaint}`],
    );
    t.end();
  });
}
