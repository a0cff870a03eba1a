// Applies a rule's target to a packet.

import { loopbackOf } from "../local-addresses.ts";
import type { HookContext } from "../match/context.ts";
import { hasConnection } from "../match/evaluate-conntrack.ts";
import { type HostAddress, hostAddress, type PacketState, withChanges } from "../packet.ts";
import type { MarkChange, MarkCopyTarget, MarkTarget } from "../rule/marks.ts";
import type { AddressSpan, NatTarget, NetmapTarget, TranslatingTarget } from "../rule/nat-targets.ts";
import { addressText } from "../rule/network.ts";
import type { ParsedRule } from "../rule/rule.ts";
import type { Target } from "../rule/targets.ts";

type Translated =
  | { readonly kind: "accept"; readonly states: readonly PacketState[]; readonly what: string }
  | { readonly kind: "stop"; readonly reason: string };

/** Larger address ranges end as unknown. */
const MOST_CHOICES = 64;

/** A connection is translated once per direction, so the packet leaves the nat table. */
function translate(target: TranslatingTarget, state: PacketState, context: HookContext): Translated {
  switch (target.kind) {
    case "dnat":
      return toDestinations(target, addressesOf(target.addresses, state.destination), state);
    case "redirect": {
      const here = redirected(context);
      if (here === undefined)
        return cannotTranslate("redirects it to the address of the incoming interface; pass --in and --node-address");
      return toDestinations(target, [here], state);
    }
    case "snat":
      return toSources(target, addressesOf(target.addresses, state.source), state);
    case "masquerade":
      return toSources(target, [masqueradeSource(context)], state);
    case "netmap":
      return mapped(target, state, context);
  }
}

type Ports = Pick<NatTarget, "ports" | "base" | "random" | "randomFully">;

function toDestinations(target: Ports, addresses: readonly HostAddress[] | undefined, state: PacketState): Translated {
  const port = portOf(target, state.destinationPort);
  if (addresses === undefined) return cannotTranslate("translates the destination to one of more than 64 addresses");
  if (typeof port === "string") return cannotTranslate(port);
  const states = addresses.map((address) => withDestination(state, address, port));
  return { kind: "accept", states, what: "destination becomes" };
}

function withDestination(state: PacketState, destination: HostAddress, port: number | undefined): PacketState {
  const same = destination.text === state.destination.text && port === state.destinationPort;
  const translated = { ...state.translated, destination: !same };
  return withChanges(state, { destination, destinationPort: port, translated });
}

/** The source port may stay undefined: no outcome depends on it. */
function toSources(
  target: Ports,
  addresses: readonly (HostAddress | undefined)[] | undefined,
  state: PacketState,
): Translated {
  if (addresses === undefined) return cannotTranslate("translates the source to one of more than 64 addresses");
  const states = addresses.map((source) => {
    const sourcePort = sourcePortOf(target, state.sourcePort);
    const same = source !== undefined && source.text === state.source?.text && target.ports === undefined;
    const translated = { ...state.translated, source: !same };
    return withChanges(state, { source, sourcePort, translated });
  });
  return { kind: "accept", states, what: "source becomes" };
}

function sourcePortOf({ ports }: Ports, port: number | undefined): number | undefined {
  if (ports === undefined) return port;
  return ports.from === ports.to ? ports.from : undefined;
}

/** The port, or the reason why it is unknown. A port in the range is kept, unless the rule randomises it. */
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

function redirected({ hook, inInterface, localAddresses, ruleset }: HookContext): HostAddress | undefined {
  if (hook === "OUTPUT") return hostAddress(loopbackOf(ruleset.family));
  const first = inInterface.kind === "named" ? localAddresses.firstOf(inInterface.name) : only(localAddresses.sources);
  return first === undefined ? undefined : hostAddress(first);
}

/** Undefined where the node has several addresses, and routes choose. */
function masqueradeSource({ outInterface, localAddresses }: HookContext): HostAddress | undefined {
  const named = outInterface.kind === "named" && outInterface.name !== "lo" ? outInterface.name : undefined;
  const first = (named === undefined ? undefined : localAddresses.firstOf(named)) ?? only(localAddresses.sources);
  return first === undefined ? undefined : hostAddress(first);
}

function only(addresses: readonly string[] | undefined): string | undefined {
  return addresses?.length === 1 ? addresses[0] : undefined;
}

/** The network's bits come from the rule, the rest stays. */
function mapped({ network }: NetmapTarget, state: PacketState, { hook }: HookContext): Translated {
  const { family, address, mask } = network;
  const map = ({ bits }: HostAddress) => hostAddress(addressText(family, (bits.bits & ~mask) | address));
  if (hook === "PREROUTING" || hook === "OUTPUT") {
    const states = [withDestination(state, map(state.destination), state.destinationPort)];
    return { kind: "accept", states, what: "destination becomes" };
  }
  if (state.source === undefined)
    return cannotTranslate("maps the source, which is one of the node's addresses; pass it in --from");
  const translated = { ...state.translated, source: true };
  return {
    kind: "accept",
    states: [withChanges(state, { source: map(state.source), translated })],
    what: "source becomes",
  };
}

function cannotTranslate(reason: string): Translated {
  return { kind: "stop", reason };
}

/** The ICMP error of a REJECT target without `--reject-with`. */
const PORT_UNREACHABLE = { IPv4: "icmp-port-unreachable", IPv6: "icmp6-port-unreachable" } as const;

export type Effect =
  /** Continues with the next rule. */
  | { readonly kind: "on"; readonly state: PacketState; readonly what: string }
  /** Enters another chain; `back`: returns to the next rule. */
  | { readonly kind: "enter"; readonly chain: string; readonly back: boolean }
  | { readonly kind: "return" }
  /** Leaves the table. With several states, the kernel chooses one. */
  | { readonly kind: "accept"; readonly states: readonly PacketState[]; readonly what: string }
  | { readonly kind: "drop" }
  | { readonly kind: "reject"; readonly answer: string }
  | { readonly kind: "stop"; readonly reason: string };

/** Returns the effect of a rule whose matches all match. */
export function applyTarget(rule: ParsedRule, before: PacketState, context: HookContext): Effect {
  const state = withRecentLists(rule, before);
  const { target } = rule;
  switch (target.kind) {
    case "verdict":
      return verdict(target.verdict, state);
    case "jump":
    case "goto":
      return { kind: "enter", chain: target.chain, back: target.kind === "jump" };
    case "reject":
      return { kind: "reject", answer: target.answer ?? PORT_UNREACHABLE[context.ruleset.family] };
    case "dnat":
    case "snat":
    case "masquerade":
    case "redirect":
    case "netmap":
      return translate(target, state, context);
    case "tproxy":
      return stop("sends it to a transparent proxy on this node, if one listens");
    case "queue":
      return stop("sends it to a program in user space, which decides");
    case "unknown":
      return stop(`has an unsupported target: ${target.text}`);
    default:
      return applyPassing(target, state, context);
  }
}

function verdict(name: "ACCEPT" | "DROP" | "RETURN", state: PacketState): Effect {
  if (name === "RETURN") return { kind: "return" };
  return name === "DROP" ? { kind: "drop" } : { kind: "accept", states: [state], what: "accepted" };
}

/** Targets after which the packet continues with the next rule. */
function applyPassing(target: Target, state: PacketState, context: HookContext): Effect {
  switch (target.kind) {
    case "mark":
      return marked(withChanges(state, { mark: withMarkChange(target, state.mark) }));
    case "connmark":
    case "save-mark":
    case "restore-mark":
      return hasConnection(state, context) ? applyConnectionMark(target, state) : on(state, "has no connection yet");
    case "notrack":
      if (context.connection !== "none") return on(state, "the connection is tracked already");
      return on(withChanges(state, { tracked: false }), "is not tracked");
    case "none":
      return on(state, "counted");
    default:
      return on(state, "text" in target ? `continues: ${target.text}` : "continues");
  }
}

function applyConnectionMark(target: MarkTarget | MarkCopyTarget, state: PacketState): Effect {
  if ("xor" in target) {
    return on(
      withChanges(state, { connectionMark: withMarkChange(target, state.connectionMark) }),
      "marks the connection",
    );
  }
  const { kind, packetMask, connectionMask } = target;
  if (kind === "save-mark") {
    const change = { clear: connectionMask, xor: (state.mark & packetMask) >>> 0 };
    return on(withChanges(state, { connectionMark: withMarkChange(change, state.connectionMark) }), "mark saved");
  }
  const change = { clear: packetMask, xor: (state.connectionMark & connectionMask) >>> 0 };
  return marked(withChanges(state, { mark: withMarkChange(change, state.mark) }));
}

function withMarkChange({ clear, xor }: MarkChange, mark: number): number {
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

/** Adds the source to the `recent` lists that the rule sets. */
function withRecentLists({ matches }: ParsedRule, state: PacketState): PacketState {
  const names = matches.flatMap((match) => (match.kind === "recent" && match.action === "set" ? match.name : []));
  const fresh = names.filter((name) => !state.recentLists.includes(name));
  return fresh.length === 0 ? state : withChanges(state, { recentLists: [...state.recentLists, ...fresh] });
}
