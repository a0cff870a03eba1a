// Evaluates addresses: networks, ranges and address types.
import { type HostAddress, hostAddress, type Interface, type PacketState } from "../packet.ts";
import type { AddressRangeMatch, AddressType, AddressTypeMatch } from "../rule/address-matches.ts";
import { type Network, networkHolds } from "../rule/network.ts";
import type { Side } from "../rule/options.ts";
import type { HookContext } from "./context.ts";
import { allEqual, MATCH, type MatchResult, matchIf, NO_MATCH, negated, unknown } from "./match-result.ts";

const WHICH_SOURCE = "depends on which of the node's addresses is the source; pass it in --from";

/** The address at one end of the packet. */
export function addressOf(state: PacketState, side: Side): HostAddress | undefined {
  return side === "source" ? state.source : state.destination;
}

/** Tests an address; if it is an unknown local address, tests all of them: different results are unknown. */
function evaluateAddress(
  address: HostAddress | undefined,
  { localAddresses }: HookContext,
  test: (address: HostAddress) => boolean,
): MatchResult {
  if (address !== undefined) return matchIf(test(address));
  return allEqual(
    (localAddresses.sources ?? []).map((text) => test(hostAddress(text))),
    WHICH_SOURCE,
  );
}

export function evaluateNetwork(address: HostAddress | undefined, network: Network, context: HookContext): MatchResult {
  if (network.mask === 0n) return matchIf(network.family === context.ruleset.family);
  // What the node sends to others never has a loopback address, unless the sender asked for it.
  if (address === undefined && isLoopbackNetwork(network)) return NO_MATCH;
  return evaluateAddress(address, context, ({ bits }) => networkHolds(network, bits));
}

const LOOPBACK = { IPv4: 127n << 24n, IPv6: 1n } as const;

const LOOPBACK_MASK = { IPv4: 255n << 24n, IPv6: (1n << 128n) - 1n } as const;

function isLoopbackNetwork({ family, address, mask }: Network): boolean {
  const within = LOOPBACK_MASK[family];
  return (mask & within) === within && (address & within) === LOOPBACK[family];
}

export function evaluateAddressRange(match: AddressRangeMatch, state: PacketState, context: HookContext): MatchResult {
  const { family, from, to, side } = match;
  const result = evaluateAddress(addressOf(state, side), context, ({ bits }) => {
    return bits.family === family && from <= bits.bits && bits.bits <= to;
  });
  return negated(result, match.not);
}

/** An address that is neither the node's nor one of those below counts as UNICAST: routes that refuse are not known. */
export function evaluateAddressType(match: AddressTypeMatch, state: PacketState, context: HookContext): MatchResult {
  return negated(evaluateType(match, addressOf(state, match.side), context), match.not);
}

function evaluateType(match: AddressTypeMatch, address: HostAddress | undefined, context: HookContext): MatchResult {
  const { types } = match;
  const special = address && specialType(address.text);
  if (special !== undefined) return matchIf(types.has(special));
  if (types.has("LOCAL") === types.has("UNICAST")) return matchIf(types.has("LOCAL"));
  const local = match.only === undefined ? isLocalAddress(address, context) : isOnInterface(match, address, context);
  return local.kind === "unknown" ? local : negated(local, types.has("UNICAST"));
}

function isLocalAddress(address: HostAddress | undefined, { localAddresses }: HookContext): MatchResult {
  if (address === undefined) return MATCH;
  const local = localAddresses.isLocal(address.text);
  return local === undefined ? unknownLocalAddress(address.text) : matchIf(local);
}

function isOnInterface(
  { only }: AddressTypeMatch,
  address: HostAddress | undefined,
  context: HookContext,
): MatchResult {
  if (address !== undefined && context.localAddresses.isLocal(address.text) === false) return NO_MATCH;
  const asked = only === "in-interface" ? context.inInterface : context.outInterface;
  if (asked.kind !== "named") return evaluateUnnamedInterface(asked, only === "in-interface" ? "in" : "out");
  const on = address && context.localAddresses.isOn(address.text, asked.name);
  return on === undefined ? unknown("depends on the addresses of that interface; pass --node-address") : matchIf(on);
}

/** The result for a rule with an interface if the packet's interface is not known or absent. */
export function evaluateUnnamedInterface({ kind }: Interface, which: "in" | "out"): MatchResult {
  if (kind === "none") return NO_MATCH;
  return which === "in"
    ? unknown("depends on the incoming interface; pass --in")
    : unknown("depends on the outgoing interface; pass --out");
}

function unknownLocalAddress(address: string): MatchResult {
  return unknown(`depends on whether ${address} is a local address of the node; pass --node-address`);
}

function specialType(address: string): AddressType | undefined {
  if (address === "255.255.255.255") return "BROADCAST";
  if (/^(22[4-9]|23\d)\./.test(address) || /^ff[0-9a-f]{2}:/.test(address)) return "MULTICAST";
  return undefined;
}
