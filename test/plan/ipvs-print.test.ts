// How does each step of IPVS mode read?
import t from "tap";
import type { IpvsStep } from "../../src/plan/plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import { buildReal, buildServer, CLUSTER_IP } from "../support/build-ipvs.ts";

const { realServers: _, ...WEB } = buildServer("10.0.0.1", []);
const { realServers: __, ...WEB6 } = buildServer("fd00::1", [], { scheduler: "mh", persistence: 10_800 });
const POD6 = buildReal("fd00:1::5");

const STEPS: readonly (readonly [IpvsStep, ...(readonly string[])])[] = [
  [{ kind: "device", name: "kube-ipvs0" }, "+ interface kube-ipvs0"],
  [{ kind: "remove-device", name: "kube-ipvs0" }, "- interface kube-ipvs0"],
  [
    {
      kind: "sets",
      changes: [
        { kind: "create", set: CLUSTER_IP },
        { kind: "remove", set: CLUSTER_IP, entries: ["10.0.0.2,tcp:80"] },
        { kind: "add", set: CLUSTER_IP, entries: ["10.0.0.1,tcp:80", "10.0.0.1,udp:53"] },
        { kind: "swap", name: "A", other: "B" },
        { kind: "destroy", name: "B" },
      ],
    },
    "+ ipset KUBE-CLUSTER-IP hash:ip,port",
    "- ipset KUBE-CLUSTER-IP 10.0.0.2,tcp:80",
    "+ ipset KUBE-CLUSTER-IP 10.0.0.1,tcp:80",
    "+ ipset KUBE-CLUSTER-IP 10.0.0.1,udp:53",
    "+ ipset A is B, and the other way round",
    "- ipset B",
  ],
  [
    {
      kind: "servers",
      changes: [
        { kind: "add-server", server: WEB },
        { kind: "set-server", server: WEB6 },
        { kind: "add-real", server: WEB6, real: POD6 },
        { kind: "set-real", server: WEB6, real: { ...POD6, weight: 0 } },
        { kind: "remove-real", server: WEB6, real: POD6 },
        { kind: "remove-server", server: WEB },
      ],
    },
    "+ ipvs 10.0.0.1:80/TCP rr",
    "+ ipvs [fd00::1]:80/TCP mh persistent 10800",
    "+ ipvs [fd00::1]:80/TCP to [fd00:1::5]:8080 weight 1",
    "+ ipvs [fd00::1]:80/TCP to [fd00:1::5]:8080 weight 0",
    "- ipvs [fd00::1]:80/TCP to [fd00:1::5]:8080",
    "- ipvs 10.0.0.1:80/TCP",
  ],
  [
    { kind: "retire", reals: [{ server: WEB6, real: POD6 }], again: false },
    "- ipvs [fd00::1]:80/TCP to [fd00:1::5]:8080 once it has no connection",
  ],
  [
    { kind: "bind", device: "kube-ipvs0", addresses: ["10.0.0.1", "10.0.0.2"] },
    "+ kube-ipvs0 10.0.0.1",
    "+ kube-ipvs0 10.0.0.2",
  ],
  [{ kind: "unbind", device: "kube-ipvs0", addresses: ["fd00::1"] }, "- kube-ipvs0 fd00::1"],
];

for (const [step, ...lines] of STEPS) {
  t.test(step.kind, async (t) => t.strictSame([...printPlan({ steps: [step], kept: [] })], lines));
}
