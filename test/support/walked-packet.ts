// Does a real packet go where a walk over what the kernel holds says?
import type { Test } from "tap";
import { hostPort } from "../../src/net/address.ts";
import { PROTOCOL_NUMBERS } from "../../src/net/protocol.ts";
import type { Packet } from "../../src/trace/packet.ts";
import { type Outcome, stepsTo, type Trace } from "../../src/trace/trace.ts";
import { walk } from "../../src/trace/walk/hooks.ts";
import type { Outcome as AgentOutcome } from "./agent.ts";
import type { ArbitraryPacket } from "./arbitrary-packets.ts";
import { type Fields, POD_INTERFACE } from "./packet-stage.ts";
import { NODE, type Topology } from "./topology.ts";

const ENTRY = { outside: "eth0", pods: POD_INTERFACE, remote: "eth1", node: "lo" } as const;

/** Milliseconds: an answer may be late on a slow machine, silence is only waited for. */
const PATIENCE = { answer: 4000, silence: 400 };

/** How often each end should be met. */
const ROUNDS = 2;

/** Walks the packet and sends it; says what each connection came to. */
export async function testPacket(
  t: Test,
  { topology, fields }: { readonly topology: Topology; readonly fields: Fields },
  packet: ArbitraryPacket,
): Promise<readonly string[]> {
  const { sender, from, to } = packet;
  const trace = walkPacket(packet, fields);
  const told = endsOf(trace);
  const outcomes = await topology[sender].agent.probe({
    ...to,
    ...(from === undefined ? {} : { from }),
    count: ROUNDS * told.length,
    // One after the other, or nobody could tell whose turn it was.
    parallel: 1,
    timeout: told.includes("silence") ? PATIENCE.silence : PATIENCE.answer,
  });
  const found = outcomes.map(printOutcome);
  const name = `${from ?? "the node"} to ${to.protocol} ${hostPort(to.address, to.port)}: ${told.join(" or ")}`;
  t.strictSame(heard(found, trace), told, name, { steps: trace.steps.map(({ at, what }) => [at, what]) });
  return found;
}

function walkPacket({ sender, from, to }: ArbitraryPacket, fields: Fields): Trace {
  const family = to.address.includes(":") ? "IPv6" : "IPv4";
  const field = fields.get(family);
  if (!field) throw new Error(`nothing was seen of ${family}`);
  const packet: Packet = {
    family,
    protocol: PROTOCOL_NUMBERS[to.protocol === "udp" ? "UDP" : "TCP"],
    origin: from === undefined ? { kind: "node" } : { kind: "arrives", source: from, inInterface: ENTRY[sender] },
    destination: to.address,
    destinationPort: to.port,
  };
  return walk(field, packet);
}

/**
 * What connections came to, told so that it is the same if it agrees. Who is remembered comes to one server alone; where
 * more than turns decides, some of the ends will do; else each end has its turn.
 */
function heard(found: readonly string[], trace: Trace): readonly string[] {
  const told = endsOf(trace);
  const ended = distinct(found);
  const among = ended.every((one) => told.includes(one));
  if (trace.outcomes.some(isRemembered)) return among && ended.filter(isReached).length <= 1 ? told : found;
  if (trace.outcomes.some(({ possible }) => possible)) return among ? told : found;
  const inTurn = found.every((one, index) => one === found[index % told.length]);
  return inTurn ? ended : found;
}

function isReached(end: string): boolean {
  return end.includes(" for ");
}

function isRemembered({ lastSteps }: Outcome): boolean {
  return stepsTo(lastSteps[0]).some(({ what }) => what.includes("the client stays with it"));
}

function endsOf({ outcomes }: Trace): readonly string[] {
  return distinct(outcomes.map(printEnd));
}

function printEnd({ verdict }: Outcome): string {
  switch (verdict.kind) {
    case "delivered": {
      const { address, port = 0 } = verdict.to;
      return `${hostPort(address, port)} for ${verdict.source ?? nodeOf(address)}`;
    }
    case "dropped":
    case "policy":
      return "silence";
    case "rejected":
    case "refused":
      return "refusal";
    case "unknown":
      return `unknown, as it ${verdict.reason}`;
  }
}

function nodeOf(address: string): string {
  return address.includes(":") ? NODE.v6 : NODE.v4;
}

function printOutcome(outcome: AgentOutcome): string {
  return "reached" in outcome ? `${outcome.reached} for ${outcome.client}` : outcome.failed;
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
