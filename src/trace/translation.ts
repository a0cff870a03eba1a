// Which addresses and ports does a translation give a packet?
import { addressText } from "./address-value.ts";
import { loopbackOf } from "./locality.ts";
import { changed, type HostAddress, hostAddress, type PacketState } from "./packet-state.ts";
import type { Situation } from "./situation.ts";
import type { AddressSpan, MasqueradeTarget, NatTarget, NetmapTarget, RedirectTarget } from "./target-kinds.ts";

export type Translated =
  | { readonly kind: "accept"; readonly states: readonly PacketState[]; readonly what: string }
  | { readonly kind: "stop"; readonly reason: string };

type NatKind = NatTarget | MasqueradeTarget | RedirectTarget | NetmapTarget;

/** So many addresses to choose from are told one by one. */
const MOST_CHOICES = 64;

/** A connection is translated once in each direction, so the table is done with it. */
export function translate(target: NatKind, state: PacketState, situation: Situation): Translated {
  switch (target.kind) {
    case "dnat":
      return toDestinations(target, addressesOf(target.addresses, state.destination), state);
    case "redirect": {
      const here = redirected(situation);
      if (here === undefined) return stop("redirects it to the interface it comes in by; say --in and --node-address");
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
  if (addresses === undefined) return stop("sends it to one of more addresses than can be told one by one");
  if (typeof port === "string") return stop(port);
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
  if (addresses === undefined) return stop("sends it from one of more addresses than can be told one by one");
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
  if (state.source === undefined) return stop("maps one of the node's addresses; say it in --from");
  const translated = { ...state.translated, source: true };
  return {
    kind: "accept",
    states: [changed(state, { source: map(state.source), translated })],
    what: "source becomes",
  };
}

function stop(reason: string): Translated {
  return { kind: "stop", reason };
}
