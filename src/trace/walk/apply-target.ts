// Applies a rule's target to a packet.

import { loopbackOf } from "../local-addresses.ts";
import type { Situation } from "../match/context.ts";
import { hasConnection } from "../match/evaluate-conntrack.ts";
import { changed, type HostAddress, hostAddress, type PacketState } from "../packet.ts";
import type { MarkChange, MarkCopyTarget, MarkTarget } from "../rule/marks.ts";
import type { AddressSpan, NatTarget, NetmapTarget, TranslatingTarget } from "../rule/nat-targets.ts";
import { addressText } from "../rule/network.ts";
import type { ParsedRule } from "../rule/rule.ts";
import type { Target } from "../rule/targets.ts";

type Translated =
  | { readonly kind: "accept"; readonly states: readonly PacketState[]; readonly what: string }
  | { readonly kind: "stop"; readonly reason: string };

/** So many addresses to choose from are told one by one. */
const MOST_CHOICES = 64;

/** A connection is translated once in each direction, so the table is done with it. */
function translate(target: TranslatingTarget, state: PacketState, situation: Situation): Translated {
  switch (target.kind) {
    case "dnat":
      return toDestinations(target, addressesOf(target.addresses, state.destination), state);
    case "redirect": {
      const here = redirected(situation);
      if (here === undefined)
        return cannotTranslate("redirects it to the interface it comes in by; say --in and --node-address");
      return toDestinations(target, [here], state);
    }
    case "snat":
      return toSources(target, addressesOf(target.addresses, state.source), state);
    case "masquerade":
      return toSources(target, [masqueradeSource(situation)], state);
    case "netmap":
      return mapped(target, state, situation);
  }
}

type Ports = Pick<NatTarget, "ports" | "base" | "random" | "randomFully">;

function toDestinations(target: Ports, addresses: readonly HostAddress[] | undefined, state: PacketState): Translated {
  const port = portOf(target, state.destinationPort);
  if (addresses === undefined) return cannotTranslate("sends it to one of more addresses than can be told one by one");
  if (typeof port === "string") return cannotTranslate(port);
  const states = addresses.map((address) => withDestination(state, address, port));
  return { kind: "accept", states, what: "destination becomes" };
}

function withDestination(state: PacketState, destination: HostAddress, port: number | undefined): PacketState {
  const same = destination.text === state.destination.text && port === state.destinationPort;
  const translated = { ...state.translated, destination: !same };
  return changed(state, { destination, destinationPort: port, translated });
}

/** A port from which answers are sent is of no matter, so it may stay open which one it is. */
function toSources(
  target: Ports,
  addresses: readonly (HostAddress | undefined)[] | undefined,
  state: PacketState,
): Translated {
  if (addresses === undefined)
    return cannotTranslate("sends it from one of more addresses than can be told one by one");
  const states = addresses.map((source) => {
    const sourcePort = sourcePortOf(target, state.sourcePort);
    const same = source !== undefined && source.text === state.source?.text && target.ports === undefined;
    const translated = { ...state.translated, source: !same };
    return changed(state, { source, sourcePort, translated });
  });
  return { kind: "accept", states, what: "source becomes" };
}

function sourcePortOf({ ports }: Ports, port: number | undefined): number | undefined {
  if (ports === undefined) return port;
  return ports.from === ports.to ? ports.from : undefined;
}

/** The reason, where it is not known. A port that is in the range stays, unless the rule wants another one drawn. */
function portOf({ ports, base, random, randomFully }: Ports, port: number | undefined): number | string | undefined {
  if (ports === undefined || port === undefined) return port;
  if (ports.from === ports.to) return ports.from;
  if (base !== undefined) return ports.from + port - base;
  const stays = ports.from <= port && port <= ports.to && !random && !randomFully;
  return stays ? port : `sends it to one of the ports ${ports.from}-${ports.to}`;
}

/** All addresses of a span; undefined where they are too many. */
function addressesOf<T>(span: AddressSpan | undefined, given: T): readonly (HostAddress | T)[] | undefined {
  if (span === undefined) return [given];
  const { family, bits } = hostAddress(span.from).bits;
  const count = Number(hostAddress(span.to).bits.bits - bits) + 1;
  if (count > MOST_CHOICES) return undefined;
  return Array.from({ length: count }, (_, at) => hostAddress(addressText(family, bits + BigInt(at))));
}

function redirected({ hook, inInterface, locality, field }: Situation): HostAddress | undefined {
  if (hook === "OUTPUT") return hostAddress(loopbackOf(field.family));
  const first = inInterface.kind === "named" ? locality.firstOf(inInterface.name) : only(locality.sources);
  return first === undefined ? undefined : hostAddress(first);
}

/** Undefined where the node has several addresses, and routes choose. */
function masqueradeSource({ outInterface, locality }: Situation): HostAddress | undefined {
  const named = outInterface.kind === "named" && outInterface.name !== "lo" ? outInterface.name : undefined;
  const first = (named === undefined ? undefined : locality.firstOf(named)) ?? only(locality.sources);
  return first === undefined ? undefined : hostAddress(first);
}

function only(addresses: readonly string[] | undefined): string | undefined {
  return addresses?.length === 1 ? addresses[0] : undefined;
}

/** The network's bits come from the rule, the rest stays. */
function mapped({ network }: NetmapTarget, state: PacketState, { hook }: Situation): Translated {
  const { family, address, mask } = network;
  const map = ({ bits }: HostAddress) => hostAddress(addressText(family, (bits.bits & ~mask) | address));
  if (hook === "PREROUTING" || hook === "OUTPUT") {
    const states = [withDestination(state, map(state.destination), state.destinationPort)];
    return { kind: "accept", states, what: "destination becomes" };
  }
  if (state.source === undefined) return cannotTranslate("maps one of the node's addresses; say it in --from");
  const translated = { ...state.translated, source: true };
  return {
    kind: "accept",
    states: [changed(state, { source: map(state.source), translated })],
    what: "source becomes",
  };
}

function cannotTranslate(reason: string): Translated {
  return { kind: "stop", reason };
}

/** What a REJECT answers that names nothing. */
const PORT_UNREACHABLE = { IPv4: "icmp-port-unreachable", IPv6: "icmp6-port-unreachable" } as const;

export type Effect =
  /** On to the next rule. */
  | { readonly kind: "on"; readonly state: PacketState; readonly what: string }
  /** Into another chain; `back`: it comes back to the next rule. */
  | { readonly kind: "enter"; readonly chain: string; readonly back: boolean }
  | { readonly kind: "return" }
  /** The table is done with it. Of several states something other than chance picks one. */
  | { readonly kind: "accept"; readonly states: readonly PacketState[]; readonly what: string }
  | { readonly kind: "drop" }
  | { readonly kind: "reject"; readonly answer: string }
  | { readonly kind: "stop"; readonly reason: string };

/** What the rule does, all its matches holding. */
export function effectOf(rule: ParsedRule, before: PacketState, situation: Situation): Effect {
  const state = remembering(rule, before);
  const { target } = rule;
  switch (target.kind) {
    case "verdict":
      return verdict(target.verdict, state);
    case "jump":
    case "goto":
      return { kind: "enter", chain: target.chain, back: target.kind === "jump" };
    case "reject":
      return { kind: "reject", answer: target.answer ?? PORT_UNREACHABLE[situation.field.family] };
    case "dnat":
    case "snat":
    case "masquerade":
    case "redirect":
    case "netmap":
      return translate(target, state, situation);
    case "tproxy":
      return stop("hands it to a proxy on this node, if one listens");
    case "queue":
      return stop("hands it to a program, which decides");
    case "unknown":
      return stop(`is not understood: ${target.text}`);
    default:
      return goOn(target, state, situation);
  }
}

function verdict(name: "ACCEPT" | "DROP" | "RETURN", state: PacketState): Effect {
  if (name === "RETURN") return { kind: "return" };
  return name === "DROP" ? { kind: "drop" } : { kind: "accept", states: [state], what: "accepted" };
}

/** Targets that let the packet go on. */
function goOn(target: Target, state: PacketState, situation: Situation): Effect {
  switch (target.kind) {
    case "mark":
      return marked(changed(state, { mark: applied(target, state.mark) }));
    case "connmark":
    case "save-mark":
    case "restore-mark":
      return hasConnection(state, situation) ? connectionMarked(target, state) : on(state, "has no connection yet");
    case "notrack":
      if (situation.connection !== "none") return on(state, "the connection is tracked already");
      return on(changed(state, { tracked: false }), "is not tracked");
    case "none":
      return on(state, "counted");
    default:
      return on(state, "text" in target ? `goes on: ${target.text}` : "goes on");
  }
}

function connectionMarked(target: MarkTarget | MarkCopyTarget, state: PacketState): Effect {
  if ("xor" in target) {
    return on(changed(state, { connectionMark: applied(target, state.connectionMark) }), "marks the connection");
  }
  const { kind, packetMask, connectionMask } = target;
  if (kind === "save-mark") {
    const change = { clear: connectionMask, xor: (state.mark & packetMask) >>> 0 };
    return on(changed(state, { connectionMark: applied(change, state.connectionMark) }), "mark saved");
  }
  const change = { clear: packetMask, xor: (state.connectionMark & connectionMask) >>> 0 };
  return marked(changed(state, { mark: applied(change, state.mark) }));
}

function applied({ clear, xor }: MarkChange, mark: number): number {
  return ((mark & ~clear) ^ xor) >>> 0;
}

function marked(state: PacketState): Effect {
  return on(state, `mark becomes 0x${state.mark.toString(16)}`);
}

function on(state: PacketState, what: string): Effect {
  return { kind: "on", state, what };
}

function stop(reason: string): Effect {
  return { kind: "stop", reason };
}

/** The packet, its source on the lists that the rule puts it on. */
function remembering({ matches }: ParsedRule, state: PacketState): PacketState {
  const names = matches.flatMap((match) => (match.kind === "recent" && match.action === "set" ? match.name : []));
  const fresh = names.filter((name) => !state.remembered.includes(name));
  return fresh.length === 0 ? state : changed(state, { remembered: [...state.remembered, ...fresh] });
}
