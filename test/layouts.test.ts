// Do both layouts of iptables mode mean the same, for every packet to every address of a Service?
import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import t from "tap";
import type { ServicePort } from "../src/model/service-port.ts";
import type { ServiceTraffic } from "../src/model/traffic.ts";
import { type World, worldOf } from "../src/model/world.ts";
import type { Family } from "../src/net/family.ts";
import { FAMILIES } from "../src/net/family.ts";
import { PROTOCOL_NUMBERS } from "../src/net/protocol.ts";
import type { InterfaceAddress } from "../src/state/node-facts.ts";
import type { Origin, Packet } from "../src/trace/packet.ts";
import { rulesetOfState } from "../src/trace/ruleset.ts";
import { clusters } from "./support/arbitrary-clusters.ts";
import { differencesOf, recentLists } from "./support/both-layouts.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "./support/build.ts";
import { readCluster } from "./support/cluster.ts";
import { crowdedClusters } from "./support/crowded-clusters.ts";
import { FIXTURES } from "./support/golden.ts";
import { takeSeed } from "./support/seed.ts";
import { BACKEND, INDEXED_BACKEND } from "./support/templates.ts";
import { limitTime } from "./support/time-limit.ts";
import { statesOf } from "./support/traced-cluster.ts";

limitTime(300_000);

const seed = takeSeed();

/** Pods here and elsewhere that are no endpoints, and clients inside of the ranges that guard VIPs and outside. */
const STRANGERS: Readonly<Record<Family, readonly Origin[]>> = {
  IPv4: [
    ...arrivals("cni0", ["10.244.0.5", "10.71.1.99", "10.1.0.9"]),
    ...arrivals("eth0", ["10.244.9.9", "192.0.2.1", "198.18.0.9", "203.0.113.200"]),
  ],
  IPv6: [
    ...arrivals("cni0", ["fd00:244::5", "fd00:71:1::99", "fd00:1::9"]),
    ...arrivals("eth0", ["fd00:244:0:9::9", "2001:db8:a:1::9", "2001:db8:ee::9"]),
  ],
};

function arrivals(inInterface: string, sources: readonly string[]): readonly Origin[] {
  return sources.map((source) => ({ kind: "arrives", source, inInterface }));
}

interface Node {
  readonly world: World;
  readonly addresses: readonly InterfaceAddress[];
}

/** Every packet to a Service from the node, from strangers and from its own endpoints. */
function packetsTo({ servicePort, reachable }: ServiceTraffic, { world, addresses }: Node): readonly Packet[] {
  const { family } = world.settings;
  const callers = reachable.flatMap(({ ip, local }) => arrivals(local ? "cni0" : "eth0", [ip]));
  const processes = addresses.slice(0, 1).map(({ address }) => ({ kind: "node", source: address }) as const);
  return targetsOf(servicePort, addresses).flatMap(([destination, destinationPort]) =>
    [...processes, ...STRANGERS[family], ...callers].map((origin) => {
      return { family, protocol: PROTOCOL_NUMBERS[servicePort.protocol], origin, destination, destinationPort };
    }),
  );
}

/** Its health check port is asked for, too, and one that it does not have. */
function targetsOf(port: ServicePort, own: readonly InterfaceAddress[]): readonly (readonly [string, number])[] {
  const served = [port.clusterIP, ...port.externalIPs, ...port.loadBalancerVIPs];
  const onNode = [port.nodePort, port.healthCheckNodePort].filter((number) => number > 0);
  return [
    ...served.map((address) => [address, port.port] as const),
    [port.clusterIP, port.port + 1],
    ...own.flatMap(({ address }) => onNode.map((number) => [address, number] as const)),
  ];
}

function bothOf({ world, addresses }: Node) {
  const [compat, indexed] = [BACKEND, INDEXED_BACKEND].map((backend) => backend.desired(world));
  if (!compat || !indexed) throw new Error("a backend is missing");
  return {
    fields: { compat: rulesetOfState(compat, addresses), indexed: rulesetOfState(indexed, addresses) },
    lists: [recentLists(compat), recentLists(indexed)],
  };
}

/** What differs for any of the packets, and for those of clients that are remembered. */
function differencesFor(node: Node, packets: readonly Packet[]): readonly string[] {
  const { fields, lists } = bothOf(node);
  const [compat = [], indexed = []] = lists;
  if (compat.join() !== indexed.join()) return [`other lists of clients: ${compat} and ${indexed}`];
  const some = compat.filter((_, index) => index % Math.ceil(compat.length / 3) === 0);
  const remembered = packets.flatMap((packet) => some.map((list) => ({ ...packet, remembered: new Set([list]) })));
  return [...packets, ...remembered].flatMap((packet) =>
    differencesOf(fields, packet).map(
      (difference) => `${JSON.stringify({ ...packet, remembered: [...(packet.recentLists ?? [])] })}: ${difference}`,
    ),
  );
}

const CLUSTERS = join(FIXTURES, "clusters");

t.test("clusters of the fixtures", async (t) => {
  for (const name of readdirSync(CLUSTERS).sort()) {
    const cluster = readCluster(name);
    const worlds: World[] = [];
    const desired = (world: World) => {
      worlds.push(world);
      return BACKEND.desired(world);
    };
    await statesOf(cluster, { ...BACKEND, desired });
    for (const world of worlds) {
      const { family } = world.settings;
      const addresses = cluster.nodeAddresses
        .filter((address) => address.includes(":") === (family === "IPv6"))
        .map((address) => ({ interface: "eth0", address }));
      const node = { world, addresses };
      const packets = [...world.services].flatMap((traffic) => packetsTo(traffic, node));
      t.strictSame(differencesFor(node, packets), [], `${name} ${family}: ${packets.length} packets`);
    }
  }
});

const picks = fc.array(fc.nat(), { minLength: 100, maxLength: 100 });

/** So many of all packets as there are picks. */
function assertSame(node: Node, numbers: readonly number[]): void {
  const all = [...node.world.services].flatMap((traffic) => packetsTo(traffic, node));
  const some =
    all.length === 0 ? [] : numbers.map((number) => all[number % all.length]).filter((one) => one !== undefined);
  const differences = differencesFor(node, some);
  if (differences.length > 0) throw new Error(differences.join("\n"));
}

const { addresses: interfaces } = buildFacts();

function addressesOf(family: Family): readonly InterfaceAddress[] {
  return interfaces.filter(
    ({ address, interface: name }) => name !== "lo" && address.includes(":") === (family === "IPv6"),
  );
}

t.test("random clusters whose Services claim the same", async () => {
  const property = fc.property(clusters, fc.constantFrom(...FAMILIES), picks, (snapshot, family, numbers) => {
    const options = buildOptions({ clusterCIDRs: ["10.1.0.0/16", "fd00:1::/64"] });
    const world = worldOf({ snapshot, nodeName: "n1", options, facts: buildFacts(), family });
    assertSame({ world, addresses: addressesOf(family) }, numbers);
  });
  fc.assert(property, { seed, numRuns: 40 });
});

t.test("random clusters so crowded that chains come to several levels", async () => {
  const property = fc.property(crowdedClusters, picks, ({ snapshot, family, options }, numbers) => {
    const input = { snapshot, nodeName: "n1", options: buildOptions(options), facts: buildFacts(), family };
    assertSame({ world: worldOf(input), addresses: addressesOf(family) }, numbers);
  });
  fc.assert(property, { seed, numRuns: 20, endOnFailure: true });
});

t.test("an external IP that is the cluster IP of a Service further on in the list", async (t) => {
  const one = buildService({ name: "a", externalIPs: ["10.0.0.2"], externalTrafficPolicy: "Local" });
  const other = buildService({ name: "b", clusterIP: "10.0.0.2" });
  const snapshot = buildSnapshot(
    [one, other].map((service, index) =>
      buildRecord(
        service,
        buildSlice([buildEndpoint(`10.1.0.${index}`, { nodeName: "n1" })], { service: service.name }),
      ),
    ),
  );
  for (const masqueradeAll of [false, true]) {
    const options = buildOptions({ clusterCIDRs: ["10.1.0.0/16"], masqueradeAll });
    const world = worldOf({ snapshot, nodeName: "n1", options, facts: buildFacts(), family: "IPv4" });
    const node = { world, addresses: addressesOf("IPv4") };
    const packets = [...world.services].flatMap((traffic) => packetsTo(traffic, node));
    t.strictSame(differencesFor(node, packets), [], masqueradeAll ? "under masqueradeAll" : "otherwise");
  }
});
