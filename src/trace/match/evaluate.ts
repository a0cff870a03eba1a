// Evaluates all matches of a rule for a packet.

import type { Family } from "../../net/family.ts";
import type { Interface, PacketState } from "../packet.ts";
import { fraction } from "../probability.ts";
import type { Match } from "../rule/matches.ts";
import type { NumberRange } from "../rule/options.ts";
import type { InterfaceSpec, ParsedRule } from "../rule/rule.ts";
import type { NthMatch, RandomMatch, RecentMatch } from "../rule/statistic-matches.ts";
import type { ChunkTypesMatch, IcmpMatch, PortsMatch, TcpFlagsMatch } from "../rule/transport-matches.ts";
import type { HookContext } from "./context.ts";
import {
  evaluateAddressRange,
  evaluateAddressType,
  evaluateNetwork,
  evaluateUnnamedInterface,
} from "./evaluate-addresses.ts";
import { evaluateConnection, evaluateMark } from "./evaluate-conntrack.ts";
import { evaluateBridgePort, evaluateIpvs, evaluateOwner, evaluateSocket } from "./evaluate-host.ts";
import { evaluateSet } from "./evaluate-set.ts";
import { both, MATCH, type MatchResult, matchIf, NO_MATCH, negated, unknown } from "./match-result.ts";

/** Evaluates all matches of a rule. One that does not match decides, even if others are unknown. */
export function evaluateRule(rule: ParsedRule, state: PacketState, context: HookContext): MatchResult {
  let result = evaluateHeader(rule, state, context);
  for (const match of rule.matches) {
    if (result.kind === "no match") break;
    result = both(result, evaluateMatch(match, state, context));
  }
  return result;
}

function evaluateHeader(rule: ParsedRule, state: PacketState, context: HookContext): MatchResult {
  const { protocol, source, destination, inInterface, outInterface, fragment } = rule;
  const { packet } = context;
  if (protocol && protocol.number !== "all" && (protocol.number === packet.protocol) === protocol.not) return NO_MATCH;
  const asked = destination ? evaluateNetwork(state.destination, destination, context) : MATCH;
  let result = negated(asked, destination?.not ?? false);
  if (result.kind === "no match") return NO_MATCH;
  if (source) result = both(result, negated(evaluateNetwork(state.source, source, context), source.not));
  if (inInterface) result = both(result, evaluateInterface(inInterface, context.inInterface, "in"));
  if (outInterface) result = both(result, evaluateInterface(outInterface, context.outInterface, "out"));
  return fragment ? both(result, evaluateFragment(fragment)) : result;
}

function evaluateMatch(match: Match, state: PacketState, context: HookContext): MatchResult {
  switch (match.kind) {
    case "comment":
    case "counter":
      return MATCH;
    case "ports":
      return evaluatePorts(match, state);
    case "tcp-flags":
      return evaluateTcpFlags(match);
    case "chunk-types":
      return evaluateChunks(match);
    case "icmp":
      return evaluateIcmp(match, context.ruleset.family);
    case "address-type":
      return evaluateAddressType(match, state, context);
    case "address-range":
      return evaluateAddressRange(match, state, context);
    case "random":
      return evaluateRandom(match);
    case "nth":
      return evaluateNth(match);
    case "recent":
      return evaluateRecent(match, state, context);
    case "set":
      return evaluateSet(match, state, context);
    case "mark":
    case "connmark":
      return evaluateMark(match, state, context);
    case "conntrack-state":
    case "conntrack-status":
    case "conntrack-protocol":
    case "conntrack-address":
    case "conntrack-port":
    case "conntrack-direction":
      return evaluateConnection(match, state, context);
    default:
      return evaluateRare(match, state, context);
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
      | "unevaluated"
      | "unknown";
  }
>;

/** Evaluates rare matches against the assumptions about a traced packet (see `Packet`). */
function evaluateRare(match: RareMatch, state: PacketState, context: HookContext): MatchResult {
  switch (match.kind) {
    case "bridge-port":
      return evaluateBridgePort(match, context);
    case "owner":
      return evaluateOwner(match, context);
    case "socket":
      return evaluateSocket(match, state, context);
    case "ipvs":
      return evaluateIpvs(match, state);
    case "tos":
      return matchIf((match.value === 0) !== match.not);
    case "reverse-path":
      return matchIf(!match.not);
    case "ipsec":
      return matchIf(match.policy === "none");
    case "packet-type":
      return matchIf((match.type === "unicast") !== match.not);
    case "extension-header":
      return NO_MATCH;
    case "unevaluated":
      return unknown(`cannot be evaluated for a single packet: ${match.text}`);
    case "unknown":
      return unknown(`has an unsupported match: ${match.text}`);
  }
}

const SYN = 2;

const LAST_PORT = 65_535;

/**
 * A packet without an interface has none that begins like anything, save like nothing at all. One that is not known is
 * not loopback: what comes from others, or goes to others, never passes it.
 */
function evaluateInterface(asked: InterfaceSpec, given: Interface, which: "in" | "out"): MatchResult {
  if (asked.prefix && asked.name === "") return matchIf(!asked.not);
  if (given.kind === "unknown" && asked.name === "lo" && !asked.prefix) return matchIf(asked.not);
  if (given.kind !== "named") return negated(evaluateUnnamedInterface(given, which), asked.not);
  const holds = asked.prefix ? given.name.startsWith(asked.name) : given.name === asked.name;
  return matchIf(holds !== asked.not);
}

function evaluatePorts({ side, ranges, not }: PortsMatch, state: PacketState): MatchResult {
  const source = evaluatePort(ranges, state.sourcePort);
  const destination = evaluatePort(ranges, state.destinationPort);
  if (side === "source") return negated(source, not);
  if (side === "destination") return negated(destination, not);
  return negated(source.kind === "match" || destination.kind === "no match" ? source : destination, not);
}

function evaluatePort(ranges: readonly NumberRange[], port: number | undefined): MatchResult {
  if (port !== undefined) return matchIf(ranges.some(({ from, to }) => from <= port && port <= to));
  if (ranges.some(({ from, to }) => from === 0 && to === LAST_PORT)) return matchIf(true);
  return unknown("depends on the source port; pass it in --from");
}

/** The packet has SYN and nothing else. */
function evaluateTcpFlags({ mask, set, not }: TcpFlagsMatch): MatchResult {
  return matchIf(((SYN & mask) === set) !== not);
}

/** The packet has one INIT chunk and nothing else. */
function evaluateChunks({ how, chunks, not }: ChunkTypesMatch): MatchResult {
  const types = new Set(chunks);
  if (chunks.some((chunk) => chunk.startsWith("INIT:"))) return unknown("depends on the flags of an SCTP chunk");
  const asksInit = types.has("INIT") || types.has("ALL");
  const holds = how === "all" ? types.size === 1 && types.has("INIT") : asksInit;
  return matchIf(holds !== not);
}

const ECHO_REQUEST: Readonly<Record<Family, number>> = { IPv4: 8, IPv6: 128 };

function evaluateIcmp({ type, code, not }: IcmpMatch, family: Family): MatchResult {
  const holds = type === undefined || (type === ECHO_REQUEST[family] && (code === undefined || code === 0));
  return matchIf(holds !== not);
}

/** Only whole packets are traced, so `-f` does not match. */
function evaluateFragment(asked: { readonly not: boolean }): MatchResult {
  return negated(NO_MATCH, asked.not);
}

/** The kernel draws a 31-bit random number (xt_statistic). */
const DRAWS = 2 ** 31;

function evaluateRandom({ threshold, not }: RandomMatch): MatchResult {
  if (threshold === 0 || threshold >= DRAWS) return matchIf(threshold > 0 !== not);
  return negated({ kind: "probability", probability: fraction(threshold, DRAWS) }, not);
}

/** Averaged over many packets. */
function evaluateNth({ every, not }: NthMatch): MatchResult {
  return negated(every <= 1 ? MATCH : { kind: "probability", probability: fraction(1, every) }, not);
}

/** A client is in no `recent` list, unless the request or this packet has put it there. */
function evaluateRecent(match: RecentMatch, { recentLists }: PacketState, { packet }: HookContext): MatchResult {
  if (match.action === "set") return matchIf(!match.not);
  const before = packet.recentLists?.has(match.name) ?? false;
  const hits = match.hits ?? 1;
  if (before && hits > 1) return unknown(`depends on how often the source was seen in recent list ${match.name}`);
  const seen = before || (hits <= 1 && recentLists.includes(match.name));
  return negated(seen ? MATCH : NO_MATCH, match.not);
}
