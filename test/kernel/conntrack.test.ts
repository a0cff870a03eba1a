// Tests that list and delete UDP conntrack entries of a real kernel.
import "../support/enter-sandbox.ts";

import t from "tap";
import { readAttributes } from "../../src/kernel/attributes.ts";
import { deleteFlows, listUdpFlows } from "../../src/kernel/conntrack.ts";
import { readFlow } from "../../src/kernel/conntrack-codec.ts";
import { dump } from "../../src/kernel/netlink-dump.ts";
import { conntrack, type Entry, entries, forget, insert } from "../support/conntrack-table.ts";
import { conntrackFixture } from "../support/hex.ts";
import { manyFlows } from "../support/many-flows.ts";
import { refusalOf } from "../support/refusal.ts";
import { skipReason } from "../support/sandbox.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(120_000);

const skip = skipReason();

const DNS: Entry = { client: ["10.244.0.5", 40000], to: ["10.96.7.10", 53], by: ["10.244.1.22", 8053] };
const DNS6: Entry = { client: ["fd00:244::5", 40000], to: ["fd00:96::10", 53], by: ["fd00:244:0:1::22", 8053] };
const NODE_PORT: Entry = { client: ["198.18.0.9", 40001], to: ["192.0.2.10", 31053], by: ["10.244.1.22", 8053] };
const TCP: Entry = { ...DNS, protocol: "tcp" };

const ALL = [DNS, DNS6, NODE_PORT, TCP];

t.beforeEach(() => {
  if (!skip) forget();
});

const SEARCHES = [
  { name: "all of IPv4", family: "IPv4", searches: "all", found: ["10.96.7.10:53", "192.0.2.10:31053"] },
  { name: "all of IPv6", family: "IPv6", searches: "all", found: ["[fd00:96::10]:53"] },
  {
    name: "an address and port",
    family: "IPv4",
    searches: [{ address: "10.96.7.10", port: 53 }],
    found: ["10.96.7.10:53"],
  },
  { name: "another address", family: "IPv4", searches: [{ address: "10.96.7.11", port: 53 }], found: [] },
  { name: "a port at any address", family: "IPv4", searches: [{ port: 31053 }], found: ["192.0.2.10:31053"] },
  {
    name: "an IPv6 address",
    family: "IPv6",
    searches: [{ address: "fd00:96::10", port: 53 }],
    found: ["[fd00:96::10]:53"],
  },
  {
    name: "two at once",
    family: "IPv4",
    searches: [{ port: 53 }, { port: 31053 }],
    found: ["10.96.7.10:53", "192.0.2.10:31053"],
  },
  { name: "nothing", family: "IPv4", searches: [], found: [] },
] as const;

for (const { name, family, searches, found } of SEARCHES) {
  t.test(`search: ${name}`, { skip }, async (t) => {
    ALL.forEach(insert);
    const { flows, whole } = await listUdpFlows(family, searches);
    t.strictSame(flows.map(({ destination }) => destination.text).sort(), found);
    t.equal(whole, true);
  });
}

t.test("exactly the flows that are given are deleted, of both families", { skip }, async (t) => {
  ALL.forEach(insert);
  insert({ ...DNS, client: ["10.244.0.6", 40000] });
  const { flows } = await listUdpFlows("IPv4", [{ address: "10.96.7.10", port: 53 }]);
  t.equal(await deleteFlows(flows.filter(({ client }) => client.address === "10.244.0.5")), 1);
  t.equal(await deleteFlows((await listUdpFlows("IPv6", "all")).flows), 1);
  t.strictSame(entries("IPv4"), [
    "tcp 10.244.0.5:40000 10.96.7.10:53 10.244.1.22:8053",
    "udp 10.244.0.6:40000 10.96.7.10:53 10.244.1.22:8053",
    "udp 198.18.0.9:40001 192.0.2.10:31053 10.244.1.22:8053",
  ]);
  t.strictSame(entries("IPv6"), []);
});

t.test("a flow that is gone, or has made room for another, is as good as deleted", { skip }, async (t) => {
  insert(DNS);
  const { flows } = await listUdpFlows("IPv4", "all");
  forget();
  t.equal(await deleteFlows(flows), 0);
  insert({ ...DNS, by: ["10.244.1.23", 8053] });
  t.equal(await deleteFlows(flows), 0);
  t.strictSame(entries("IPv4"), ["udp 10.244.0.5:40000 10.96.7.10:53 10.244.1.23:8053"], "the other one stays");
  t.equal(await deleteFlows([]), 0);
  t.equal(entries("IPv4").length, 1, "no flow does not mean every flow");
});

for (const [name, options] of [
  ["both directions", ["-w", "7"]],
  ["the first direction", ["--orig-zone", "7"]],
  ["the way back", ["--reply-zone", "7"]],
] as const) {
  t.test(`an entry with a conntrack zone for ${name} stays, its twin in zone 0 is deleted`, { skip }, async (t) => {
    insert({ ...DNS, options });
    insert(name === "both directions" ? DNS : { ...DNS, client: ["10.244.0.5", 40009] });
    for (const search of ["all", [{ address: "10.96.7.10", port: 53 }]] as const) {
      t.equal((await listUdpFlows("IPv4", search)).flows.length, 1);
    }
    t.equal(await deleteFlows((await listUdpFlows("IPv4", "all")).flows), 1);
    t.strictSame(entries("IPv4"), ["udp 10.244.0.5:40000 10.96.7.10:53 10.244.1.22:8053"]);
    t.match(conntrack("-L", "-f", "ipv4"), /zone(-orig|-reply)?=7/);
  });
}

t.test("thousands in batches, with refusals in the midst of them, and every answer counted", { skip }, async (t) => {
  const count = 3000;
  await manyFlows(count);
  const { flows } = await listUdpFlows("IPv4", "all");
  t.equal(flows.length, count);
  const odd = flows.filter((_, index) => index % 2 === 1);
  t.equal(await deleteFlows(odd), odd.length);
  t.equal(await deleteFlows([...odd, ...flows, ...odd]), count - odd.length, "those that are there, once each");
  t.strictSame(entries("IPv4"), []);
});

t.test("a refusal of the kernel is told with the flow, and the other flows go", { skip }, async (t) => {
  ALL.forEach(insert);
  const { flows } = await listUdpFlows("IPv4", "all");
  // A repeated CTA_TUPLE_IP that is too short: we read the last one, the kernel checks each.
  const [first, ...others] = flows;
  if (!first) throw new Error("there is no flow");
  const tuple = Buffer.concat([Buffer.from("0500010001000000", "hex"), first.tuple]);
  t.match(await refusalOf(deleteFlows([{ ...first, tuple }, ...others])), {
    step: "conntrack",
    target: `${first.client.text} to ${first.destination.text}`,
    code: "ERANGE",
  });
  t.equal((await listUdpFlows("IPv4", "all")).flows.length, 1);
});

t.test("the fixtures are what this kernel says too", { skip }, async (t) => {
  for (const name of [
    "translated-v4",
    "untranslated-v4",
    "masqueraded-v4",
    "translated-v6",
    "zone-v4",
    "original-zone-v4",
    "reply-zone-v4",
  ]) {
    const { bytes, comments } = conntrackFixture(name);
    const command = comments.find((line) => line.startsWith("conntrack "));
    forget();
    conntrack(...(command ?? "").split(" ").slice(1));
    const { found } = await dump({ protocol: "netfilter", type: 0x101, payload: Buffer.alloc(4) }, (payload) =>
      Buffer.from(payload),
    );
    t.strictSame(found.map(lasting), [lasting(bytes)], name);
    const family = name.endsWith("v6") ? "IPv6" : "IPv4";
    const [flow, wanted] = [found[0] && readFlow(found[0], family), readFlow(bytes, family)];
    t.same(flow && { ...flow, id: 0 }, wanted && { ...wanted, id: 0 });
  }
});

/** What does not differ from one entry to the next: both tuples, status, mark and zone. */
function lasting(message: Buffer) {
  const attributes = readAttributes(message.subarray(4));
  return [1, 2, 3, 8, 18].map((type) => attributes.get(type)?.toString("hex"));
}
