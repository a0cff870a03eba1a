// Evaluates all matches of a rule for a packet.
import { judgeAddressRange, judgeAddressType, judgeNetwork } from "./judge-address.ts";
import { judgeNth, judgeRandom, judgeRecent } from "./judge-chance.ts";
import { judgeConnection, judgeMark } from "./judge-connection.ts";
import { judgeChunks, judgeFragment, judgeIcmp, judgeInterface, judgePorts, judgeTcpFlags } from "./judge-header.ts";
import { judgeBridgePort, judgeIpvs, judgeOwner, judgeSocket } from "./judge-host.ts";
import { judgeSet } from "./judge-set.ts";
import { both, FAILS, HOLDS, type Judgement, judged, negated, unknown } from "./judgement.ts";
import type { Match } from "./match-kinds.ts";
import type { PacketState } from "./packet-state.ts";
import type { ParsedRule } from "./parsed-rule.ts";
import type { Situation } from "./situation.ts";

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
