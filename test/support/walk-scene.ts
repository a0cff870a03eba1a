// How are a walk and a real kernel asked for the same packets, over the same rules?
import type { Test } from "tap";
import type { Snapshot } from "../../src/api/objects.ts";
import type { Backend } from "../../src/backends/backend.ts";
import { worldOf } from "../../src/model/world.ts";
import { printSets } from "../../src/state/ipset-text.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { wholeIpvs } from "../../src/state/ipvs-whole.ts";
import { numberOf } from "../../src/trace/probability.ts";
import { type Ruleset, rulesetOfDump } from "../../src/trace/ruleset.ts";
import { type Outcome, stepsTo } from "../../src/trace/trace.ts";
import { walk } from "../../src/trace/walk/hooks.ts";
import type { Outcome as AgentOutcome } from "./agent.ts";
import { SETS } from "./arbitrary-rules.ts";
import { buildFacts, buildNode, buildOptions } from "./build.ts";
import { criticalValue } from "./chi-square.ts";
import { inNamespace } from "./iptables-variant.ts";
import { BACKEND } from "./templates.ts";
import { makeTopology, place, type Role, removeTopology, type Topology } from "./topology.ts";

export interface WalkScene {
  readonly topology: Topology;
  readonly env: NodeJS.ProcessEnv;
}

/** A packet, and who sends it. */
export interface Probe {
  readonly sender: Role;
  readonly from?: string;
  readonly to: string;
  readonly port: number;
}

const NODE = "192.0.2.10";
const PODS = ["10.1.0.1", "10.1.0.2"];
const REMOTE = ["10.1.0.3", "10.1.0.4", "10.1.0.5"];
const SERVICES = ["10.0.0.1", "1.2.3.4", "203.0.113.5", "203.0.113.6"];
const CLIENT = "198.18.0.9";

export const PROBES: readonly Probe[] = [
  ...["10.0.0.1", "1.2.3.4", "203.0.113.5"].map((to) => ({ sender: "outside" as const, from: CLIENT, to, port: 80 })),
  { sender: "outside", from: CLIENT, to: NODE, port: 30_080 },
  { sender: "pods", from: "10.1.0.1", to: "10.0.0.1", port: 80 },
  { sender: "pods", from: "10.1.0.2", to: "203.0.113.6", port: 80 },
  { sender: "node", to: "10.0.0.1", port: 80 },
  { sender: "node", to: NODE, port: 30_080 },
];

const ENTRY = { outside: "eth0", pods: "cni0", remote: "eth1", node: "lo" } as const;

/** Connections where chance decides; where it does not, a few are enough. */
const COUNTS = { drawn: 40, settled: 2 };

/** What chance does more seldom than this is a fault. */
const SELDOM = 1e-8;

export async function makeWalkScene(t: Test, env: NodeJS.ProcessEnv): Promise<WalkScene> {
  const topology = await makeTopology("cni0");
  t.teardown(() => removeTopology(topology));
  const http = (address: string, port: number) => ({ protocol: "tcp" as const, address, port });
  const everywhere = [...SERVICES.map((address) => http(address, 80)), ...REMOTE.map((address) => http(address, 8080))];
  await place(topology, {
    node: { addresses: [], listeners: [http(NODE, 30_080)] },
    outside: { addresses: [CLIENT], listeners: [] },
    pods: { addresses: PODS, listeners: PODS.map((address) => http(address, 8080)) },
    remote: { addresses: [...SERVICES, ...REMOTE], listeners: everywhere },
  });
  await inNamespace(topology.node, ["ipset", "restore"], { env, input: `${SETS}\n` });
  return { topology, env };
}

/** The node's rules for a cluster, as the kernel says them again. */
export async function loadCluster(scene: WalkScene, snapshot: Snapshot, backend: Backend = BACKEND): Promise<Ruleset> {
  const options = buildOptions({ clusterCIDRs: ["10.1.0.0/16"] });
  const world = { snapshot, nodeName: "n1", node: buildNode(), options, facts: buildFacts(), family: "IPv4" } as const;
  const wanted = backend.desired(worldOf(world));
  const input = wholeIpvs(wanted).sets.flatMap((set) => {
    const [create = "", ...add] = printSets([set]);
    return [create, `flush ${set.name}`, ...add];
  });
  await inNamespace(scene.topology.node, ["ipset", "restore", "-exist"], {
    env: scene.env,
    input: `${input.join("\n")}\n`,
  });
  return loadRules(scene, [...printTables(wanted)].join("\n"));
}

/** These rules, and no others. */
export async function loadRules({ topology, env }: WalkScene, rules: string): Promise<Ruleset> {
  const run = (command: readonly string[], input = "") => inNamespace(topology.node, command, { env, input });
  for (const table of ["filter", "mangle", "nat"]) {
    await run(["iptables", "-t", table, "-F"]);
    await run(["iptables", "-t", table, "-X"]);
  }
  await run(["iptables-restore", "--noflush"], `${rules}\n`);
  await run(["conntrack", "-F"]);
  return rulesetOfDump({
    family: "IPv4",
    tables: await run(["iptables-save"]),
    sets: await run(["ipset", "save"]),
    addresses: [
      { interface: "lo", address: "127.0.0.1" },
      { interface: "eth0", address: NODE },
    ],
  });
}

/** Sends the packet and walks it: both must come to the same ends, equally often as far as chance allows. */
export async function testProbe(
  t: Test,
  { topology, field }: WalkScene & { readonly field: Ruleset },
  { sender, from, to, port }: Probe,
  name: string,
): Promise<void> {
  const origin =
    from === undefined
      ? ({ kind: "node" } as const)
      : ({ kind: "arrives", source: from, inInterface: ENTRY[sender] } as const);
  const walked = walk(field, { family: "IPv4", protocol: 6, origin, destination: to, destinationPort: port });
  const expected = new Map<string, number>();
  for (const end of walked.outcomes)
    expected.set(printEnd(end), (expected.get(printEnd(end)) ?? 0) + numberOf(end.probability));
  const silent = [...expected.keys()].includes("silence");
  const outcomes = await topology[sender].agent.probe({
    protocol: "tcp",
    ...(from === undefined ? {} : { from }),
    address: to,
    port,
    count: expected.size > 1 ? COUNTS.drawn : COUNTS.settled,
    parallel: 30,
    timeout: silent ? 400 : 3000,
  });
  const found = outcomes.map(printOutcome);
  const label = `${sender} to ${to}:${port}, ${name}`;
  t.strictSame(
    found.filter((one) => !expected.has(one)),
    [],
    `${label}: no other end than ${[...expected.keys()]}`,
  );
  if (expected.size > 1 && !remembers(walked.outcomes)) {
    const limit = criticalValue(expected.size - 1, SELDOM);
    t.ok(deviation(found, expected) < limit, `${label}: ends as often as told`, { found, expected: [...expected] });
  }
}

/** A client that is remembered comes to the same end again. */
function remembers(ends: readonly Outcome[]): boolean {
  const places = ends.flatMap(({ lastSteps }) => stepsTo(lastSteps[0]).map(({ at }) => at));
  return places.some((place) => "rule" in place && place.rule.line.includes("-m recent"));
}

function deviation(found: readonly string[], expected: ReadonlyMap<string, number>): number {
  return [...expected].reduce((sum, [end, share]) => {
    const even = share * found.length;
    return sum + (found.filter((one) => one === end).length - even) ** 2 / even;
  }, 0);
}

function printEnd({ verdict }: Outcome): string {
  switch (verdict.kind) {
    case "delivered":
      return `${verdict.to.address}:${verdict.to.port} for ${verdict.source ?? NODE}`;
    case "dropped":
    case "policy":
      return "silence";
    case "rejected":
      return verdict.answer === "icmp-admin-prohibited" ? "EHOSTUNREACH" : "refusal";
    case "refused":
      return "refusal";
    case "unknown":
      return verdict.reason;
  }
}

function printOutcome(outcome: AgentOutcome): string {
  return "reached" in outcome ? `${outcome.reached} for ${outcome.client}` : outcome.failed;
}
