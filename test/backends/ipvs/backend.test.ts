import t from "tap";
import { ipvsBackend } from "../../../src/backends/ipvs/backend.ts";
import { RuleSyntaxError } from "../../../src/errors.ts";
import { type WorldInput, worldOf } from "../../../src/model/world.ts";
import { wholeTable } from "../../../src/state/whole-tables.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../../support/build.ts";
import { IPVS_BACKEND, IPVS_TEMPLATES } from "../../support/templates.ts";

const OPTIONS = buildOptions({ mode: "ipvs" });

t.test("a template that is missing or cannot be read is named", async (t) => {
  const without = new Map([...IPVS_TEMPLATES].filter(([name]) => name !== "nat/PREROUTING"));
  t.throws(() => ipvsBackend(without), { message: "template nat/PREROUTING is missing" });
  t.throws(() => ipvsBackend(new Map([...IPVS_TEMPLATES, ["nat/X", "nonsense"]])), RuleSyntaxError);
});

t.test("nine jumps, all of them ours to take away", async (t) => {
  t.equal(IPVS_BACKEND.mode, "ipvs");
  t.equal(IPVS_BACKEND.jumps.length, 9);
});

t.test("a world of another mode is a fault of ours", async (t) => {
  t.throws(() => IPVS_BACKEND.desired(build({ options: buildOptions() })), RangeError);
});

t.test("a Service that did not change has the same fragment, and another one of its page too", async (t) => {
  const records = (port: number) => [
    buildRecord(buildService({ name: "a", clusterIP: "10.0.0.1" })),
    buildRecord(buildService({ name: "b", clusterIP: "10.0.0.2" }), buildSlice([buildEndpoint("10.1.0.1")])),
    buildRecord(buildService({ name: "c", clusterIP: `10.0.0.${port}` })),
  ];
  const previous = build({ snapshot: buildSnapshot(records(3)) });
  const [a, b, c] = [...IPVS_BACKEND.desired(previous).fragments];
  const world = build({ snapshot: buildSnapshot(records(4)), previous });
  const [nextA, nextB, nextC] = [...IPVS_BACKEND.desired(world).fragments];
  t.equal(nextA, a);
  t.equal(nextB, b);
  t.not(nextC, c);
  t.strictSame(nextC?.ipvs()?.addresses, ["10.0.0.4"]);
  t.strictSame(nextC?.chains("nat"), [], "none of the chains is a Service's own");
  t.equal(nextC?.shares("nat").size, 0, "and no rule of one that all share");
});

t.test("ports that are closed to the node stand by address, protocol and port, whosever they are", async (t) => {
  const port = (protocol: "TCP" | "UDP" | "SCTP", number: number) => ({
    ...{ name: `${protocol.toLowerCase()}-${number}`, protocol, port: number, nodePort: 0 },
  });
  const service = (name: string, ingressVIPs: readonly string[], ports: readonly ReturnType<typeof port>[]) =>
    buildRecord(buildService({ name, ingressVIPs, ports, sourceRanges: ["198.18.0.0/15"], type: "LoadBalancer" }));
  const snapshot = buildSnapshot([
    service("a", ["203.0.113.9"], [port("SCTP", 9), port("TCP", 443), port("TCP", 80), port("UDP", 53)]),
    service("b", ["203.0.113.5", "203.0.113.9"], [port("TCP", 80)]),
  ]);
  const state = IPVS_BACKEND.desired(build({ snapshot }));
  const lines = wholeTable(state, "filter")
    .get("KUBE-IPVS-OUT-FILTER")
    ?.rules.map(({ line }) => /--vproto (\d+) --vaddr (\S+) --vport (\d+)/.exec(line)?.slice(1).join(" "));
  t.strictSame(lines, [
    "6 203.0.113.5 80",
    "6 203.0.113.9 80",
    "6 203.0.113.9 80",
    "6 203.0.113.9 443",
    "17 203.0.113.9 53",
    "132 203.0.113.9 9",
  ]);
});

function build(given: Partial<WorldInput>) {
  const snapshot = buildSnapshot([]);
  return worldOf({ snapshot, nodeName: "n1", family: "IPv4", options: OPTIONS, facts: buildFacts(), ...given });
}
