// Tests what a delivery reports.
import t from "tap";
import type { Packet } from "../../../src/trace/packet.ts";
import type { Delivery } from "../../../src/trace/trace.ts";
import { walk } from "../../../src/trace/walk/hooks.ts";
import { buildPacket, nodeWith, tableText } from "../../support/one-rule.ts";

const RULES = tableText("nat", [
  "-A PREROUTING -j S",
  "-A OUTPUT -j S",
  "-A S -s 198.18.0.0/15 -j MARKED",
  "-A S -d 10.96.0.1/32 -p tcp -j DNAT --to-destination 10.244.0.7:8080",
  "-A S -d 10.96.0.2/32 -p tcp -j DNAT --to-destination 192.0.2.10:6443",
  "-A MARKED -j MARK --set-xmark 0x4000/0x4000",
  "-A POSTROUTING -d 10.9.9.9/32 -j MASQUERADE",
  "-A POSTROUTING -d 10.9.9.8/32 -m mark --mark 0x4000/0x4000 -j MASQUERADE",
  "-A POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN",
  "-A POSTROUTING -j MARK --set-xmark 0x4000/0x0",
  "-A POSTROUTING -j MASQUERADE",
]);

const POD: Partial<Packet> = { origin: { kind: "arrives", source: "10.244.1.5" } };

type Row = readonly [name: string, packet: Partial<Packet>, why: readonly string[], notes: readonly string[]];

const ROWS: readonly Row[] = [
  [
    "masqueraded for a mark that is taken off again",
    { destination: "10.96.0.1" },
    ["S 1", "POSTROUTING 5"],
    ["replies return to the node, which restores 10.96.0.1:8080 as their source and forwards them to 198.18.0.9"],
  ],
  ["masqueraded for a mark that stays", { destination: "10.9.9.8" }, ["S 1", "POSTROUTING 2"], []],
  ["masqueraded for another reason", { destination: "10.9.9.9" }, ["POSTROUTING 1"], []],
  [
    "not masqueraded",
    { ...POD, destination: "10.96.0.1" },
    [],
    ["replies go directly to 10.244.1.5: their source becomes 10.96.0.1:8080 only if their route passes this node"],
  ],
  [
    "marked, but for the node itself",
    { destination: "10.96.0.2" },
    [],
    [
      "marked for masquerading, but a packet to the node itself does not pass POSTROUTING",
      "replies get 10.96.0.2:8080 as their source before they leave the node",
    ],
  ],
  [
    "a client that is its own endpoint",
    { origin: { kind: "arrives", source: "10.244.0.7" }, destination: "10.96.0.1" },
    [],
    ["the endpoint is the sender: it receives its own packet, and no connection is established"],
  ],
  [
    "from the node",
    { origin: { kind: "node" }, destination: "10.96.0.1" },
    [],
    ["replies return to the node, which restores 10.96.0.1:8080 as their source"],
  ],
  [
    "from the node, masqueraded",
    { origin: { kind: "node" }, destination: "10.96.0.1", mark: 0x4000 },
    ["POSTROUTING 5"],
    ["replies return to the node, which restores 10.96.0.1:8080 as their source and forwards them to the process"],
  ],
  ["untouched", { ...POD, destination: "10.244.0.9" }, [], []],
];

t.test("a delivery tells why", async (t) => {
  const field = nodeWith(RULES);
  for (const [name, given, why, notes] of ROWS) {
    const delivery = deliveryOf(given);
    t.strictSame(
      delivery?.masqueradedBy.map(({ chain, number }) => `${chain} ${number}`),
      why,
      name,
    );
    t.strictSame(delivery?.notes, notes, name);
  }
  function deliveryOf(given: Partial<Packet>): Delivery | undefined {
    const outcome = walk(field, buildPacket(given)).outcomes[0]?.verdict;
    return outcome?.kind === "delivered" ? outcome : undefined;
  }
});
