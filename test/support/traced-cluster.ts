// What does a walk say of the packets of a cluster in `fixtures/clusters`?

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Backend } from "../../src/backends/backend.ts";
import { readInputFlags } from "../../src/commands/given-inputs.ts";
import { openInputs } from "../../src/commands/inputs.ts";
import { familyOf } from "../../src/net/address.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { PROTOCOL_NUMBERS } from "../../src/net/protocol.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import type { Origin, Packet } from "../../src/trace/packet.ts";
import { type Fraction, plus, printShare } from "../../src/trace/probability.ts";
import { type Ruleset, rulesetOfState } from "../../src/trace/ruleset.ts";
import type { Outcome, Trace } from "../../src/trace/trace.ts";
import { walk } from "../../src/trace/walk/hooks.ts";
import type { Cluster } from "./cluster.ts";
import { CollectedOutput } from "./collected-output.ts";
import { type PacketCase, readDestination } from "./packet-case.ts";
import { flowOf } from "./packet-flow.ts";

/** Both families of a cluster under a mode, whatever mode its own configuration names. */
export async function fieldsOf(cluster: Cluster, backend: Backend): Promise<ReadonlyMap<Family, Ruleset>> {
  const own = cluster.nodeAddresses.map((address) => ({ interface: "eth0", address }));
  const states = await statesOf(cluster, backend);
  return new Map([...states].map(([family, state]) => [family, rulesetOfState(state, own)]));
}

/** What is wanted of the cluster under that mode. */
export async function statesOf({ folder }: Cluster, backend: Backend): Promise<ReadonlyMap<Family, KernelState>> {
  const facts = join(folder, "node-facts.yaml");
  const args = {
    paths: [join(folder, "cluster.yaml")],
    nodeIps: [],
    nodeAddresses: [],
    verbose: false,
    ...(existsSync(facts) ? { nodeFacts: facts } : {}),
  };
  const config = new Map([["config", [join(folder, "config.yaml")] as const]]);
  const flags = await readInputFlags(args, config, new CollectedOutput());
  const inputs = await openInputs({ ...flags, options: { ...flags.options, mode: backend.mode } }, backend);
  return new Map(
    FAMILIES.flatMap((family) => {
      const state = inputs.wanted(family);
      return state ? [[family, state]] : [];
    }),
  );
}

/** The packet of a case, walked. */
export function traceCase(packet: PacketCase, cluster: Cluster, fields: ReadonlyMap<Family, Ruleset>): Trace {
  const { probe } = flowOf(packet, cluster);
  const family = familyOf(probe.address);
  const field = fields.get(family);
  if (!field) throw new Error(`the cluster has no ${family}`);
  return walk(field, packetOf(packet, probe, family));
}

function packetOf(
  { to, in: entry }: PacketCase,
  { from, address, port }: { readonly from?: string; readonly address: string; readonly port: number },
  family: Family,
): Packet {
  const { protocol } = readDestination(to);
  const inside = entry === undefined ? {} : { inInterface: entry };
  const origin: Origin = from === undefined ? { kind: "node" } : { kind: "arrives", source: from, ...inside };
  const name = protocol.toUpperCase();
  const number = name === "UDP" || name === "SCTP" ? PROTOCOL_NUMBERS[name] : PROTOCOL_NUMBERS.TCP;
  return { family, protocol: number, origin, destination: address, destinationPort: port };
}

/** A verdict in few words, to be compared: who is reached with which share, and under whose address. */
export function verdictOf({ packet, outcomes }: Trace, cluster: Cluster): readonly string[] {
  return outcomes
    .map((end) => `${printEnd(end, packet, cluster)} ${end.possible ? "possibly" : printShare(end.probability)}`)
    .sort();
}

function printEnd({ verdict }: Outcome, { origin }: Packet, { nodeAddresses }: Cluster): string {
  switch (verdict.kind) {
    case "delivered": {
      const { to, source, masqueradedBy } = verdict;
      // What the node sends to itself comes from where it goes to: loopback, or an address of a Service.
      const own = origin.kind === "node" && masqueradedBy.length === 0;
      const node = own || source === undefined || nodeAddresses.includes(source);
      const host = to.address.includes(":") ? `[${to.address}]` : to.address;
      return `${host}:${to.port} from ${node ? "the node" : source}`;
    }
    case "dropped":
    case "policy":
      return "dropped";
    case "rejected":
    case "refused":
      return "rejected";
    case "unknown":
      return `unknown: ${verdict.reason}`;
  }
}

/** What `packets.yaml` says of the case, in the same words. */
export function expectedVerdict(packet: PacketCase, cluster: Cluster): readonly string[] {
  const { probe, expected } = flowOf(packet, cluster);
  if ("dropped" in packet) return ["dropped 100 %"];
  if ("rejected" in packet) return ["rejected 100 %"];
  const share = printShare({ top: 1n, bottom: BigInt(expected.reached.length) });
  const node = expected.sources[0] === "the node's" || probe.from === undefined;
  return expected.reached.map((place) => `${place} from ${node ? "the node" : probe.from} ${share}`).sort();
}

/** All shares together. */
export function totalShare(ends: readonly Outcome[]): Fraction {
  return ends.map(({ probability }) => probability).reduce(plus);
}
