// Does a packet's header have what a rule asks for?

import type { Family } from "../net/family.ts";
import { judgeMissing } from "./judge-address.ts";
import { FAILS, type Judgement, judged, negated, unknown } from "./judgement.ts";
import type { ChunkTypesMatch, IcmpMatch, NumberRange, PortsMatch, TcpFlagsMatch } from "./match-kinds.ts";
import type { Interface } from "./packet.ts";
import type { PacketState } from "./packet-state.ts";
import type { InterfaceAsked } from "./parsed-rule.ts";

const SYN = 2;
const LAST_PORT = 65_535;

/**
 * A packet without an interface has none that begins like anything, save like nothing at all. One that is not known is
 * not loopback: what comes from others, or goes to others, never passes it.
 */
export function judgeInterface(asked: InterfaceAsked, given: Interface, which: "in" | "out"): Judgement {
  if (asked.prefix && asked.name === "") return judged(!asked.not);
  if (given.kind === "unknown" && asked.name === "lo" && !asked.prefix) return judged(asked.not);
  if (given.kind !== "named") return negated(judgeMissing(given, which), asked.not);
  const holds = asked.prefix ? given.name.startsWith(asked.name) : given.name === asked.name;
  return judged(holds !== asked.not);
}

export function judgePorts({ side, ranges, not }: PortsMatch, state: PacketState): Judgement {
  const source = judgePort(ranges, state.sourcePort);
  const destination = judgePort(ranges, state.destinationPort);
  if (side === "source") return negated(source, not);
  if (side === "destination") return negated(destination, not);
  return negated(source.kind === "holds" || destination.kind === "fails" ? source : destination, not);
}

function judgePort(ranges: readonly NumberRange[], port: number | undefined): Judgement {
  if (port !== undefined) return judged(ranges.some(({ from, to }) => from <= port && port <= to));
  if (ranges.some(({ from, to }) => from === 0 && to === LAST_PORT)) return judged(true);
  return unknown("asks for the port it comes from; say it in --from");
}

/** The packet has SYN and nothing else. */
export function judgeTcpFlags({ mask, set, not }: TcpFlagsMatch): Judgement {
  return judged(((SYN & mask) === set) !== not);
}

/** The packet has one INIT chunk and nothing else. */
export function judgeChunks({ how, chunks, not }: ChunkTypesMatch): Judgement {
  const types = new Set(chunks);
  if (chunks.some((chunk) => chunk.startsWith("INIT:"))) return unknown("asks for flags of an SCTP chunk");
  const asksInit = types.has("INIT") || types.has("ALL");
  const holds = how === "all" ? types.size === 1 && types.has("INIT") : asksInit;
  return judged(holds !== not);
}

const ECHO_REQUEST: Readonly<Record<Family, number>> = { IPv4: 8, IPv6: 128 };

export function judgeIcmp({ type, code, not }: IcmpMatch, family: Family): Judgement {
  const holds = type === undefined || (type === ECHO_REQUEST[family] && (code === undefined || code === 0));
  return judged(holds !== not);
}

/** Whole packets alone are traced: rules for later fragments are for others. */
export function judgeFragment(asked: { readonly not: boolean }): Judgement {
  return negated(FAILS, asked.not);
}
