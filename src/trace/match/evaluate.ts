// Evaluates all matches of a rule for a packet.

import type { Family } from "../../net/family.ts";
import type { Interface, PacketState } from "../packet.ts";
import { fraction } from "../probability.ts";
import type { Match } from "../rule/matches.ts";
import type { NumberRange } from "../rule/options.ts";
import type { InterfaceAsked, ParsedRule } from "../rule/rule.ts";
import type { NthMatch, RandomMatch, RecentMatch } from "../rule/statistic-matches.ts";
import type { ChunkTypesMatch, IcmpMatch, PortsMatch, TcpFlagsMatch } from "../rule/transport-matches.ts";
import type { Situation } from "./context.ts";
import { judgeAddressRange, judgeAddressType, judgeMissing, judgeNetwork } from "./evaluate-addresses.ts";
import { judgeConnection, judgeMark } from "./evaluate-conntrack.ts";
import { judgeBridgePort, judgeIpvs, judgeOwner, judgeSocket } from "./evaluate-host.ts";
import { judgeSet } from "./evaluate-set.ts";
import { both, FAILS, HOLDS, type Judgement, judged, negated, unknown } from "./match-result.ts";

/** Asks all that the rule asks. One thing that the packet is not settles it, whatever is unknown. */
export function judgeRule(rule: ParsedRule, state: PacketState, situation: Situation): Judgement {
  let judgement = judgeHead(rule, state, situation);
  for (const match of rule.matches) {
    if (judgement.kind === "fails") break;
    judgement = both(judgement, judgeMatch(match, state, situation));
  }
  return judgement;
}

function judgeHead(rule: ParsedRule, state: PacketState, situation: Situation): Judgement {
  const { protocol, source, destination, inInterface, outInterface, fragment } = rule;
  const { packet } = situation;
  if (protocol && protocol.number !== "all" && (protocol.number === packet.protocol) === protocol.not) return FAILS;
  const asked = destination ? judgeNetwork(state.destination, destination, situation) : HOLDS;
  let judgement = negated(asked, destination?.not ?? false);
  if (judgement.kind === "fails") return FAILS;
  if (source) judgement = both(judgement, negated(judgeNetwork(state.source, source, situation), source.not));
  if (inInterface) judgement = both(judgement, judgeInterface(inInterface, situation.inInterface, "in"));
  if (outInterface) judgement = both(judgement, judgeInterface(outInterface, situation.outInterface, "out"));
  return fragment ? both(judgement, judgeFragment(fragment)) : judgement;
}

function judgeMatch(match: Match, state: PacketState, situation: Situation): Judgement {
  switch (match.kind) {
    case "comment":
    case "counter":
      return HOLDS;
    case "ports":
      return judgePorts(match, state);
    case "tcp-flags":
      return judgeTcpFlags(match);
    case "chunk-types":
      return judgeChunks(match);
    case "icmp":
      return judgeIcmp(match, situation.field.family);
    case "address-type":
      return judgeAddressType(match, state, situation);
    case "address-range":
      return judgeAddressRange(match, state, situation);
    case "random":
      return judgeRandom(match);
    case "nth":
      return judgeNth(match);
    case "recent":
      return judgeRecent(match, state, situation);
    case "set":
      return judgeSet(match, state, situation);
    case "mark":
    case "connmark":
      return judgeMark(match, state, situation);
    case "conntrack-state":
    case "conntrack-status":
    case "conntrack-protocol":
    case "conntrack-address":
    case "conntrack-port":
    case "conntrack-direction":
      return judgeConnection(match, state, situation);
    default:
      return judgeRare(match, state, situation);
  }
}

type RareMatch = Extract<
  Match,
  {
    readonly kind:
      | "bridge-port"
      | "owner"
      | "socket"
      | "ipvs"
      | "tos"
      | "reverse-path"
      | "ipsec"
      | "packet-type"
      | "extension-header"
      | "unjudged"
      | "unknown";
  }
>;

/** What few rules ask for, and what a traced packet is taken to be. */
function judgeRare(match: RareMatch, state: PacketState, situation: Situation): Judgement {
  switch (match.kind) {
    case "bridge-port":
      return judgeBridgePort(match, situation);
    case "owner":
      return judgeOwner(match, situation);
    case "socket":
      return judgeSocket(match, state, situation);
    case "ipvs":
      return judgeIpvs(match, state);
    case "tos":
      return judged((match.value === 0) !== match.not);
    case "reverse-path":
      return judged(!match.not);
    case "ipsec":
      return judged(match.policy === "none");
    case "packet-type":
      return judged((match.type === "unicast") !== match.not);
    case "extension-header":
      return FAILS;
    case "unjudged":
      return unknown(`cannot be evaluated for a single packet: ${match.text}`);
    case "unknown":
      return unknown(`is not understood: ${match.text}`);
  }
}

const SYN = 2;

const LAST_PORT = 65_535;

/**
 * A packet without an interface has none that begins like anything, save like nothing at all. One that is not known is
 * not loopback: what comes from others, or goes to others, never passes it.
 */
function judgeInterface(asked: InterfaceAsked, given: Interface, which: "in" | "out"): Judgement {
  if (asked.prefix && asked.name === "") return judged(!asked.not);
  if (given.kind === "unknown" && asked.name === "lo" && !asked.prefix) return judged(asked.not);
  if (given.kind !== "named") return negated(judgeMissing(given, which), asked.not);
  const holds = asked.prefix ? given.name.startsWith(asked.name) : given.name === asked.name;
  return judged(holds !== asked.not);
}

function judgePorts({ side, ranges, not }: PortsMatch, state: PacketState): Judgement {
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
function judgeTcpFlags({ mask, set, not }: TcpFlagsMatch): Judgement {
  return judged(((SYN & mask) === set) !== not);
}

/** The packet has one INIT chunk and nothing else. */
function judgeChunks({ how, chunks, not }: ChunkTypesMatch): Judgement {
  const types = new Set(chunks);
  if (chunks.some((chunk) => chunk.startsWith("INIT:"))) return unknown("asks for flags of an SCTP chunk");
  const asksInit = types.has("INIT") || types.has("ALL");
  const holds = how === "all" ? types.size === 1 && types.has("INIT") : asksInit;
  return judged(holds !== not);
}

const ECHO_REQUEST: Readonly<Record<Family, number>> = { IPv4: 8, IPv6: 128 };

function judgeIcmp({ type, code, not }: IcmpMatch, family: Family): Judgement {
  const holds = type === undefined || (type === ECHO_REQUEST[family] && (code === undefined || code === 0));
  return judged(holds !== not);
}

/** Whole packets alone are traced: rules for later fragments are for others. */
function judgeFragment(asked: { readonly not: boolean }): Judgement {
  return negated(FAILS, asked.not);
}

/** Where the kernel's draw ends: it takes 31 bits. */
const DRAWS = 2 ** 31;

function judgeRandom({ threshold, not }: RandomMatch): Judgement {
  if (threshold === 0 || threshold >= DRAWS) return judged(threshold > 0 !== not);
  return negated({ kind: "chance", share: fraction(threshold, DRAWS) }, not);
}

/** Over many packets each number has an equal share. */
function judgeNth({ every, not }: NthMatch): Judgement {
  return negated(every <= 1 ? HOLDS : { kind: "chance", share: fraction(1, every) }, not);
}

/** A client that was never seen is on no list, unless this packet has put it there. */
function judgeRecent(match: RecentMatch, { remembered }: PacketState, { packet }: Situation): Judgement {
  if (match.action === "set") return judged(!match.not);
  const before = packet.remembered?.has(match.name) ?? false;
  const hits = match.hits ?? 1;
  if (before && hits > 1) return unknown(`asks how often list ${match.name} has seen it`);
  const seen = before || (hits <= 1 && remembered.includes(match.name));
  return negated(seen ? HOLDS : FAILS, match.not);
}
