// What holds for the rules of every cluster, whatever is in it?
import fc from "fast-check";
import t from "tap";
import type { Snapshot } from "../../../src/api/objects.ts";
import { serviceChainNames } from "../../../src/backends/iptables/chain-names.ts";
import type { ServiceTraffic } from "../../../src/model/traffic.ts";
import { type World, worldOf } from "../../../src/model/world.ts";
import { FAMILIES, type Family } from "../../../src/net/family.ts";
import { printTables } from "../../../src/state/iptables-print.ts";
import type { Chains, KernelState, TableName } from "../../../src/state/kernel-state.ts";
import { targetOf } from "../../../src/state/rule.ts";
import { wholeTable } from "../../../src/state/whole-tables.ts";
import { clusters, shuffle } from "../../support/arbitrary-clusters.ts";
import { buildOptions } from "../../support/build.ts";
import { BACKEND } from "../../support/templates.ts";

const seed = Number(process.env.FAIRLEAD_SEED ?? Date.now() % 2 ** 31);
t.comment(`seed ${seed} (FAIRLEAD_SEED=${seed} runs the same again)`);

const options = fc
  .record({
    masqueradeAll: fc.boolean(),
    clusterCIDRs: fc.constantFrom([], ["10.1.0.0/16", "fd00:1::/64"], ["0.0.0.0/0"]),
    localhostNodePorts: fc.boolean(),
    detectLocalMode: fc.constantFrom("ClusterCIDR" as const, "InterfaceNamePrefix" as const),
  })
  .map((given) => buildOptions({ interfaceNamePrefix: "veth", ...given }));

const counters = fc.boolean().map((there) => ({ invalidDropped: there, localhostNodePorts: there }));

const inputs = fc.record({ snapshot: clusters, options, counters, family: fc.constantFrom(...FAMILIES) });

type Inputs = typeof inputs extends fc.Arbitrary<infer T> ? T : never;

function worldFrom({ snapshot, options, counters, family }: Inputs): World {
  const facts = { addresses: [], iptablesVersion: "1.8.9", kernelVersion: "6.1", counters, tcpBeLiberal: false };
  return worldOf({ snapshot, nodeName: "n1", options, facts, family });
}

function check(name: string, property: (input: Inputs) => void): void {
  t.test(name, async () => fc.assert(fc.property(inputs, property), { seed, numRuns: 300 }));
}

function assertEqual(actual: unknown, expected: unknown, what: string): void {
  if (actual !== expected) throw new Error(`${what}: ${actual} where ${expected} was expected`);
}

const TABLES: readonly TableName[] = ["filter", "nat"];
const END = new Set(["ACCEPT", "DROP", "RETURN", "REJECT", "MARK", "MASQUERADE", "DNAT"]);

check("every jump has its chain, and every chain is reached", (input) => {
  const world = worldFrom(input);
  const state = BACKEND.desired(world);
  // A VIP that lets nobody in leads nowhere, so that the way on from there may have no other entry.
  const closed = [...world.services].filter(({ servicePort }) => servicePort.sourceRanges.length === 0);
  const unreached = new Set(closed.map(({ servicePort }) => serviceChainNames(servicePort, "KUBE-").ext));
  for (const table of TABLES) {
    const chains = wholeTable(state, table);
    const targets = [...chains.values()].flatMap(({ rules }) => rules.map(({ line }) => targetOf(line) ?? "RETURN"));
    for (const target of targets) if (!END.has(target)) assertEqual(chains.has(target), true, `chain ${target}`);
    const reached = new Set(targets);
    for (const { name, hold } of chains.values()) {
      const alone = hold === "built-in" || name === "KUBE-PROXY-CANARY" || name === "KUBE-MARK-MASQ";
      if (!alone && !unreached.has(name)) assertEqual(reached.has(name), true, `${table} ${name} is reached`);
    }
  }
});

check("every usable endpoint is as likely as the others, to the kernel's resolution", (input) => {
  const world = worldFrom(input);
  const nat = wholeTable(BACKEND.desired(world), "nat");
  for (const { cluster, local } of world.services) {
    for (const [prefix, list] of [
      ["KUBE-SVC-", cluster],
      ["KUBE-SVL-", local],
    ] as const) {
      for (const chain of nat.values()) {
        if (
          !chain.name.startsWith(prefix) ||
          !leadsTo(
            nat,
            chain.name,
            list.map(({ text }) => text),
          )
        )
          continue;
        for (const share of sharesOf(nat, chain.name)) {
          if (Math.abs(share - 1 / list.length) > list.length / 2 ** 31) throw new Error(`${chain.name}: ${share}`);
        }
      }
    }
  }
});

/** The shares with which new clients get to each endpoint, in order. */
function sharesOf(nat: Chains, chain: string): readonly number[] {
  let left = 1;
  return (nat.get(chain)?.rules ?? [])
    .filter(({ line }) => line.includes("-j KUBE-SEP-") && !line.includes("-m recent"))
    .map(({ line }) => {
      const probability = Number(/--probability (\S+)/.exec(line)?.[1] ?? 1);
      const share = left * probability;
      left -= share;
      return share;
    });
}

function leadsTo(nat: Chains, chain: string, endpoints: readonly string[]): boolean {
  const found = (nat.get(chain)?.rules ?? [])
    .filter(({ line }) => line.includes("-j KUBE-SEP-") && !line.includes("-m recent"))
    .map(
      ({ line }) =>
        nat
          .get(targetOf(line) ?? "")
          ?.rules.at(-1)
          ?.line.split("--to-destination ")[1],
    );
  return found.length === endpoints.length && found.every((endpoint, index) => endpoint === endpoints[index]);
}

check("there are as many rules as the shape of each ServicePort asks for", (input) => {
  const world = worldFrom(input);
  const state = BACKEND.desired(world);
  const count = (table: TableName) =>
    [...wholeTable(state, table).values()].filter(({ hold }) => hold !== "built-in").flatMap(({ rules }) => rules)
      .length;
  const sum = (rules: (traffic: ServiceTraffic) => number) =>
    [...world.services].reduce((all, one) => all + rules(one), 0);
  const { family, localhostNodePorts } = world.settings;
  const firewall = family === "IPv4" && localhostNodePorts ? 1 : 0;
  assertEqual(count("filter"), 3 + firewall + sum(filterRules), "rules in filter");
  assertEqual(count("nat"), 4 + 1 + sum((traffic) => natRules(traffic, world)), "rules in nat");
});

function filterRules({ servicePort, internal, external, usable }: ServiceTraffic): number {
  const { externalIPs, loadBalancerVIPs, nodePort, healthCheckNodePort, sourceRanges } = servicePort;
  const refused =
    external.verdict === "forward" ? 0 : externalIPs.length + loadBalancerVIPs.length + (nodePort ? 1 : 0);
  const filtered = usable && sourceRanges !== "everyone" ? loadBalancerVIPs.length : 0;
  return (internal.verdict === "forward" ? 0 : 1) + refused + filtered + (healthCheckNodePort ? 1 : 0);
}

function natRules(traffic: ServiceTraffic, { settings }: World): number {
  const { servicePort, usable, internal, external, cluster, local, reachable } = traffic;
  const { externalIPs, loadBalancerVIPs, nodePort, sourceRanges, affinitySeconds } = servicePort;
  const detected = settings.localTraffic !== undefined;
  const everywhere = settings.localTraffic?.kind === "cidr" && settings.localTraffic.cidr.endsWith("/0");
  const marked = settings.masqueradeAll || (detected && !everywhere);
  const inside = internal.verdict === "forward" ? 1 + (marked ? 1 : 0) : 0;
  const perList = affinitySeconds > 0 ? 2 : 1;
  const lists = (servicePort.usesCluster ? cluster.length : 0) + (servicePort.usesLocal ? local.length : 0);
  const counted = settings.localhostNodePorts && settings.counters.localhostNodePorts;
  let outside = 0;
  if (usable && servicePort.reachableFromOutside) {
    outside += externalIPs.length + loadBalancerVIPs.length + (nodePort ? (counted ? 2 : 1) : 0);
    outside += external.endpoints === "local" ? 2 + (detected ? 1 : 0) : 1;
    outside += external.verdict === "forward" ? 1 : 0;
  }
  if (usable && sourceRanges !== "everyone" && loadBalancerVIPs.length > 0) {
    const own = settings.family === "IPv4" ? "192.0.2.0/24" : "2001:db8:a::/48";
    outside += sourceRanges.length + (sourceRanges.includes(own) ? loadBalancerVIPs.length : 0) + 1;
  }
  return inside + perList * lists + 2 * reachable.length + outside;
}

t.test("the order of input objects never matters", async () => {
  const text = (snapshot: Snapshot, family: Family) =>
    printed(BACKEND.desired(worldFrom({ ...BASE, snapshot, family })));
  const noise = fc.infiniteStream(fc.integer());
  const property = fc.property(clusters, noise, fc.constantFrom(...FAMILIES), (snapshot, numbers, family) =>
    assertEqual(text(shuffle(snapshot, numbers), family), text(snapshot, family), "rules"),
  );
  fc.assert(property, { seed, numRuns: 200 });
});

const BASE = { options: buildOptions(), counters: { invalidDropped: false, localhostNodePorts: false } };

function printed(state: KernelState): string {
  return [...printTables(state)].join("\n");
}
