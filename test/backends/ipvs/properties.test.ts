// What holds for sets, virtual servers and addresses of every cluster, whatever is in it?
import fc from "fast-check";
import t from "tap";
import type { Snapshot } from "../../../src/api/objects.ts";
import { printSections } from "../../../src/commands/sections.ts";
import { type KnownWorld, worldOf } from "../../../src/model/world.ts";
import { FAMILIES, type Family } from "../../../src/net/family.ts";
import { wholeIpvs } from "../../../src/state/ipvs-whole.ts";
import { targetOf } from "../../../src/state/rule.ts";
import { parseEntry, printEntry } from "../../../src/state/set-entry.ts";
import { printIdentity } from "../../../src/state/virtual-server.ts";
import { wholeTable } from "../../../src/state/whole-tables.ts";
import { clusters, shuffle } from "../../support/arbitrary-clusters.ts";
import { buildFacts, buildOptions } from "../../support/build.ts";
import { takeSeed } from "../../support/seed.ts";
import { IPVS_BACKEND } from "../../support/templates.ts";

const seed = takeSeed();

const options = fc
  .record({
    masqueradeAll: fc.boolean(),
    clusterCIDRs: fc.constantFrom([], ["10.1.0.0/16", "fd00:1::/64"], ["0.0.0.0/0"]),
    nodePortAddresses: fc.constantFrom([], ["192.0.2.0/24"], ["198.18.0.0/15", "2001:db8::/32"], ["primary"]),
    scheduler: fc.constantFrom("rr", "mh"),
  })
  .map(({ scheduler, ...given }) =>
    buildOptions({ mode: "ipvs", ipvs: { scheduler, strictARP: false, excludeCIDRs: [] }, ...given }),
  );

const inputs = fc.record({ snapshot: clusters, options, family: fc.constantFrom(...FAMILIES) });

type Inputs = typeof inputs extends fc.Arbitrary<infer T> ? T : never;

function worldFrom({ snapshot, options, family }: Inputs): KnownWorld {
  return worldOf({ snapshot, nodeName: "n1", options, facts: buildFacts(), family });
}

function check(name: string, property: (world: KnownWorld) => void): void {
  const run = (input: Inputs) => property(worldFrom(input));
  t.test(name, async () => fc.assert(fc.property(inputs, run), { seed, numRuns: 300 }));
}

function assert(holds: boolean | undefined, what: string): void {
  if (holds !== true) throw new Error(what);
}

check("every entry is one of its set, in the kernel's own words", (world) => {
  const { sets } = wholeIpvs(IPVS_BACKEND.desired(world));
  for (const { entries, ...header } of sets) {
    for (const entry of entries) {
      const parts = parseEntry(header, entry);
      assert(parts && printEntry(header.type, parts) === entry, `${header.name} ${entry}`);
    }
  }
});

check("every entry that a Service has is in a set that is kept", (world) => {
  const state = IPVS_BACKEND.desired(world);
  const known = new Set(state.ipvs?.sets.map(({ name }) => name));
  for (const fragment of state.fragments) {
    for (const { set } of fragment.ipvs()?.entries ?? []) assert(known.has(set), set);
  }
});

check("every real server is an endpoint of the Service, each once", (world) => {
  const { servers } = wholeIpvs(IPVS_BACKEND.desired(world));
  const endpoints = new Set([...world.services].flatMap(({ reachable, cluster }) => [...reachable, ...cluster]));
  const usable = new Set([...endpoints].map(({ ip, port }) => `${ip} ${port}`));
  for (const { realServers, ...server } of servers) {
    const places = realServers.map(({ address, port }) => `${address} ${port}`);
    assert(new Set(places).size === places.length, `${printIdentity(server)}: one twice`);
    for (const place of places) assert(usable.has(place), `${printIdentity(server)}: ${place}`);
  }
});

check("every virtual server has an address here, and every address a virtual server", (world) => {
  const { servers, addresses } = wholeIpvs(IPVS_BACKEND.desired(world));
  const own = new Set([...addresses, ...(world.settings.ipvs?.nodePortAddresses ?? [])]);
  for (const server of servers) assert(own.has(server.address), printIdentity(server));
  const served = new Set(servers.map(({ address }) => address));
  for (const address of addresses) assert(served.has(address), address);
  assert(new Set(servers.map(printIdentity)).size === servers.length, "each once");
});

check("the set of addresses holds exactly those on the mode's interface", (world) => {
  const { sets, addresses } = wholeIpvs(IPVS_BACKEND.desired(world));
  const set = sets.find(({ name }) => name.endsWith("IPVS-IPS"));
  assert([...(set?.entries ?? [])].sort().join() === [...addresses].join(), "IPVS-IPS");
});

check("every port of a Service passes the filter that closes all others", (world) => {
  const { sets, servers, addresses } = wholeIpvs(IPVS_BACKEND.desired(world));
  const open = sets.filter(({ name }) => /-(?:CLUSTER-IP|EXTERNAL-IP(?:-LOCAL)?|LOAD-BALANCER)$/.test(name));
  const entries = new Set(open.flatMap((set) => [...set.entries]));
  for (const { address, protocol, port } of servers.filter((server) => addresses.includes(server.address))) {
    assert(entries.has(`${address},${protocol.toLowerCase()}:${port}`), `${address} ${protocol} ${port}`);
  }
});

check("every rule names a set that is kept, and every jump a chain", (world) => {
  const state = IPVS_BACKEND.desired(world);
  const sets = new Set(state.ipvs?.sets.map(({ name }) => name));
  for (const table of ["filter", "nat"] as const) {
    const chains = wholeTable(state, table);
    for (const { line } of [...chains.values()].flatMap(({ rules }) => rules)) {
      const set = / --match-set (\S+) /.exec(line)?.[1];
      assert(set === undefined || sets.has(set), line);
      const target = targetOf(line) ?? "";
      assert(!target.startsWith("KUBE-") || chains.has(target), line);
    }
  }
});

check("no rule of nat waits for a set that is empty", (world) => {
  const state = IPVS_BACKEND.desired(world);
  const filled = new Set(wholeIpvs(state).sets.flatMap(({ name, entries }) => (entries.size > 0 ? [name] : [])));
  for (const { line } of [...wholeTable(state, "nat").values()].flatMap(({ rules }) => rules)) {
    const set = / --match-set (\S+) /.exec(line)?.[1];
    assert(set === undefined || filled.has(set), line);
  }
});

t.test("the order of input objects never matters", async () => {
  const text = (snapshot: Snapshot, family: Family) => {
    const state = IPVS_BACKEND.desired(worldFrom({ snapshot, family, options: buildOptions({ mode: "ipvs" }) }));
    return [...printSections([state], false)].join("\n");
  };
  const noise = fc.infiniteStream(fc.integer());
  const property = fc.property(clusters, noise, fc.constantFrom(...FAMILIES), (snapshot, numbers, family) =>
    assert(text(shuffle(snapshot, numbers), family) === text(snapshot, family), "text"),
  );
  fc.assert(property, { seed, numRuns: 200 });
});

t.test("what was worked out before never shows", async () => {
  const property = fc.property(inputs, clusters, (input, before) => {
    const previous = worldFrom({ ...input, snapshot: before });
    IPVS_BACKEND.desired(previous);
    const { snapshot, options, family } = input;
    const next = worldOf({ snapshot, nodeName: "n1", options, facts: buildFacts(), family, previous });
    const print = (world: KnownWorld) => [...printSections([IPVS_BACKEND.desired(world)], false)].join("\n");
    assert(print(next) === print(worldFrom(input)), "text");
  });
  fc.assert(property, { seed, numRuns: 200 });
});
