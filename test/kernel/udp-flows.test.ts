// Do clients that keep their sockets reach the right endpoint after a change, and is everybody else left in peace?
// The test itself runs on the node; the pods are in a namespace behind a link.
import "../support/enter-sandbox.ts";

import { connect } from "node:net";
import { execa } from "execa";
import t, { type Test } from "tap";
import type { ServiceRecord } from "../../src/api/objects.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { type KnownWorld, worldOf } from "../../src/model/world.ts";
import { hostPort } from "../../src/net/address.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { FlowRound } from "../../src/sync/flow-round.ts";
import { createLog } from "../../src/sync/log.ts";
import { pass } from "../../src/sync/pass.ts";
import { systemClock } from "../../src/sync/schedule.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildPort,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "../support/build.ts";
import { conntrack, entries, forget } from "../support/conntrack-table.ts";
import { VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { commandHere } from "../support/namespace-command.ts";
import { configure, makeNetns, type Netns, removeNetns } from "../support/netns.ts";
import { sandboxEnvironment, skipReason } from "../support/sandbox.ts";
import { BACKEND } from "../support/templates.ts";
import { limitTime } from "../support/time-limit.ts";
import { type UdpClient, udpClient } from "../support/udp-client.ts";

limitTime(120_000);

const skip = skipReason();

const PLACES = {
  IPv4: {
    node: "10.244.0.1",
    pods: ["10.244.0.11", "10.244.0.12", "10.244.0.13"],
    dns: "10.96.7.10",
    log: "10.96.7.11",
  },
  IPv6: {
    node: "fd00:244::1",
    pods: ["fd00:244::11", "fd00:244::12", "fd00:244::13"],
    dns: "fd00:96::10",
    log: "fd00:96::11",
  },
} as const;

const NODE_PORT = 31_053;
const PORTS = [
  { name: "dns", protocol: "UDP", port: 5353 },
  { name: "dns-tcp", protocol: "TCP", port: 5353 },
] as const;

/** Keeps this namespace's kernel as Services say. */
class Node {
  readonly #family: Family;
  readonly #means;
  readonly #round: FlowRound;
  readonly #addresses;
  #world: KnownWorld | undefined;

  constructor(family: Family, variant: Variant) {
    const kernel = machine(commandHere(variant));
    const log = createLog("text", () => {})("flow-round.ts");
    this.#family = family;
    this.#means = { kernel, backend: BACKEND, variant };
    this.#addresses = [{ interface: "pods", address: PLACES[family].node }];
    this.#round = new FlowRound({ family, kernel, clock: systemClock, log });
  }

  /** Only the rules. */
  async restore(...records: readonly ServiceRecord[]): Promise<KnownWorld> {
    const facts = buildFacts({ addresses: this.#addresses });
    const options = buildOptions({ clusterCIDRs: ["10.244.0.0/16", "fd00:244::/56"], localhostNodePorts: false });
    const previous = this.#world && { previous: this.#world };
    const snapshot = buildSnapshot(records);
    this.#world = worldOf({ snapshot, nodeName: "n1", options, facts, family: this.#family, ...previous });
    const { applied } = await pass(this.#means, BACKEND.desired(this.#world));
    if (applied.refused) throw applied.refused.error;
    return this.#world;
  }

  /** The rules, then the flows: how many were deleted. */
  async keep(...records: readonly ServiceRecord[]): Promise<number> {
    const world = await this.restore(...records);
    const report = await this.#round.run({ world, addresses: this.#addresses });
    return report?.deleted ?? 0;
  }
}

function service(family: Family, name: "dns" | "log", endpoints: readonly string[]): ServiceRecord {
  const ports = [
    buildPort({ name: "dns", protocol: "UDP", port: 53, nodePort: name === "dns" ? NODE_PORT : 0 }),
    buildPort({ name: "dns-tcp", port: 53 }),
  ];
  const slice = { family, name: `${name}-1`, service: name, ports: PORTS };
  return buildRecord(
    buildService({ name, clusterIP: PLACES[family][name], type: "NodePort", ports }),
    buildSlice(
      endpoints.map((address) => buildEndpoint(address)),
      slice,
    ),
  );
}

async function makePods(t: Test): Promise<Netns> {
  const pods = await makeNetns("pods");
  t.teardown(() => removeNetns(pods));
  const ip = (...args: string[]) => execa("ip", args, { env: sandboxEnvironment() });
  await ip("link", "set", "lo", "up");
  await ip("link", "add", "pods", "type", "veth", "peer", "name", "eth0", "netns", pods.name);
  t.teardown(() => ip("link", "del", "pods"));
  for (const [family, bits] of [
    ["IPv4", 24],
    ["IPv6", 64],
  ] as const) {
    const { node, pods: addresses } = PLACES[family];
    const nodad = family === "IPv6" ? ["nodad"] : [];
    await ip("addr", "add", `${node}/${bits}`, "dev", "pods", ...nodad);
    await configure(
      pods.name,
      addresses.map((address) => `addr add ${address}/${bits} dev eth0 ${nodad.join("")}`),
    );
  }
  await ip("link", "set", "pods", "up");
  await configure(pods.name, ["link set eth0 up"]);
  await ip("route", "add", "default", "dev", "pods");
  await ip("-6", "route", "add", "default", "dev", "pods");
  const addresses = FAMILIES.flatMap((family) => PLACES[family].pods);
  const at = { port: 5353 } as const;
  await pods.agent.listen(
    addresses.flatMap((address) => [
      { protocol: "udp", address, ...at },
      { protocol: "tcp", address, ...at },
    ]),
  );
  return pods;
}

/** Protocol, the kernel's number and the server of each entry: a new one may get a number that was given up. */
function numbers(family: Family): readonly string[] {
  const lines = conntrack("-L", "-f", family.toLowerCase(), "-o", "id").split("\n");
  return lines
    .filter((line) => /^(udp|tcp)/.test(line))
    .map((line) => [line.split(" ")[0], /\bid=(\d+)/.exec(line)?.[1], line.match(/\bsrc=\S+/g)?.[1]].join(" "))
    .sort();
}

/** A TCP connection from its beginning to its end, so that the kernel remembers it. */
function converse(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    connect(53, address).on("error", reject).on("end", resolve).resume();
  });
}

for (const variant of VARIANTS) {
  t.test(`through ${variant} rules`, { skip: skip || variantSkip(variant) }, async (t) => {
    await makePods(t);
    for (const family of FAMILIES) await t.test(family, (t) => testFamily(t, family, variant));
  });
}

async function testFamily(t: Test, family: Family, variant: Variant): Promise<void> {
  const { dns, log, node: address, pods } = PLACES[family];
  const [a, b, c] = pods;
  const at = (pod: string) => hostPort(pod, 5353);
  const node = new Node(family, variant);
  const clients: UdpClient[] = [];
  t.teardown(() => {
    for (const client of clients) client.close();
  });
  const open = async (to: string, port = 53) => {
    const client = await udpClient(to, port);
    clients.push(client);
    return client;
  };
  const logs = service(family, "log", [c]);
  forget();

  await node.keep(service(family, "dns", [a]), logs);
  const [resolver, logger, outside] = [await open(dns), await open(log), await open(address, NODE_PORT)];
  t.strictSame([await resolver.ask(), await logger.ask(), await outside.ask()], [at(a), at(c), at(a)], "first packets");
  await converse(dns);
  const before = numbers(family);

  await node.restore(service(family, "dns", [b]), logs);
  t.strictSame([await resolver.ask(), await outside.ask()], [at(a), at(a)], "rules alone move no flow");
  t.equal(await node.keep(service(family, "dns", [b]), logs), 2, "both flows to the replaced endpoint go");
  t.strictSame([await resolver.ask(), await outside.ask()], [at(b), at(b)], "the next packet reaches the new one");
  t.equal(await logger.ask(), at(c));
  const after = new Set(numbers(family));
  const stayed = before.filter((number) => after.has(number));
  t.strictSame(
    stayed.map((number) => number.split(" ")[0]),
    ["tcp", "udp"],
    "TCP and the other Service's flow are the same entries",
  );

  t.equal(await node.keep(service(family, "dns", [a, b]), logs), 0, "one more endpoint moves nobody");
  t.equal(await resolver.ask(), at(b));

  t.equal(await node.keep(service(family, "dns", []), logs), 2);
  t.equal(await resolver.ask(), "refused", "without endpoints the client is told so");

  await node.keep(service(family, "dns", [a]), logs);
  t.equal(await resolver.ask(), at(a), "and served again with the first one that comes");

  await node.keep(logs);
  t.strictSame(
    entries(family).filter((entry) => entry.startsWith("udp") && entry.includes(` ${dns}:`)),
    [],
    "a deleted Service leaves no flow",
  );
  t.not(await resolver.ask(), at(a));
  await node.keep(service(family, "dns", [c]), logs);
  t.equal(await resolver.ask(), at(c), "a client that tried it meanwhile is served when the Service is there again");
  t.equal(await logger.ask(), at(c));
  await node.keep();
}
