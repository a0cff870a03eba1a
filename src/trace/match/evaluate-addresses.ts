// Evaluates addresses: networks, ranges and address types.
import { type HostAddress, hostAddress, type Interface, type PacketState } from "../packet.ts";
import type { AddressRangeMatch, AddressType, AddressTypeMatch } from "../rule/address-matches.ts";
import { type Network, networkHolds } from "../rule/network.ts";
import type { Side } from "../rule/options.ts";
import type { Situation } from "./context.ts";
import { agreed, FAILS, HOLDS, type Judgement, judged, negated, unknown } from "./match-result.ts";

const WHICH_SOURCE = "asks which of the node's addresses it comes from; say it in --from";

/** The address at one end of the packet. */
export function addressAt(state: PacketState, side: Side): HostAddress | undefined {
  return side === "source" ? state.source : state.destination;
}

/** Asks about an address; where it is one of the node's, about all of them: what holds for some alone is unknown. */
function askAddress(
  address: HostAddress | undefined,
  { locality }: Situation,
  test: (address: HostAddress) => boolean,
): Judgement {
  if (address !== undefined) return judged(test(address));
  return agreed(
    (locality.sources ?? []).map((text) => test(hostAddress(text))),
    WHICH_SOURCE,
  );
}

export function judgeNetwork(address: HostAddress | undefined, network: Network, situation: Situation): Judgement {
  if (network.mask === 0n) return judged(network.family === situation.field.family);
  // What the node sends to others never has a loopback address, unless the sender asked for it.
  if (address === undefined && isLoopbackNetwork(network)) return FAILS;
  return askAddress(address, situation, ({ bits }) => networkHolds(network, bits));
}

const LOOPBACK = { IPv4: 127n << 24n, IPv6: 1n } as const;

const LOOPBACK_MASK = { IPv4: 255n << 24n, IPv6: (1n << 128n) - 1n } as const;

function isLoopbackNetwork({ family, address, mask }: Network): boolean {
  const within = LOOPBACK_MASK[family];
  return (mask & within) === within && (address & within) === LOOPBACK[family];
}

export function judgeAddressRange(match: AddressRangeMatch, state: PacketState, situation: Situation): Judgement {
  const { family, from, to, side } = match;
  const judgement = askAddress(addressAt(state, side), situation, ({ bits }) => {
    return bits.family === family && from <= bits.bits && bits.bits <= to;
  });
  return negated(judgement, match.not);
}

/** An address that is neither the node's nor one of those below counts as UNICAST: routes that refuse are not known. */
export function judgeAddressType(match: AddressTypeMatch, state: PacketState, situation: Situation): Judgement {
  return negated(judgeType(match, addressAt(state, match.side), situation), match.not);
}

function judgeType(match: AddressTypeMatch, address: HostAddress | undefined, situation: Situation): Judgement {
  const { types } = match;
  const special = address && specialType(address.text);
  if (special !== undefined) return judged(types.has(special));
  if (types.has("LOCAL") === types.has("UNICAST")) return judged(types.has("LOCAL"));
  const local = match.only === undefined ? isNodes(address, situation) : isOnInterface(match, address, situation);
  return local.kind === "unknown" ? local : negated(local, types.has("UNICAST"));
}

function isNodes(address: HostAddress | undefined, { locality }: Situation): Judgement {
  if (address === undefined) return HOLDS;
  const local = locality.isLocal(address.text);
  return local === undefined ? askForAddresses(address.text) : judged(local);
}

function isOnInterface({ only }: AddressTypeMatch, address: HostAddress | undefined, situation: Situation): Judgement {
  if (address !== undefined && situation.locality.isLocal(address.text) === false) return FAILS;
  const asked = only === "in-interface" ? situation.inInterface : situation.outInterface;
  if (asked.kind !== "named") return judgeMissing(asked, only === "in-interface" ? "in" : "out");
  const on = address && situation.locality.isOn(address.text, asked.name);
  return on === undefined ? unknown("asks which addresses that interface has") : judged(on);
}

/** The answer where a rule asks for an interface of a name that is not given: a packet that has none fails. */
export function judgeMissing({ kind }: Interface, which: "in" | "out"): Judgement {
  if (kind === "none") return FAILS;
  return which === "in"
    ? unknown("asks for the interface it comes in by; say --in")
    : unknown("asks for the interface it leaves by; say --out");
}

function askForAddresses(address: string): Judgement {
  return unknown(`asks whether ${address} is an address of the node; say --node-address`);
}

function specialType(address: string): AddressType | undefined {
  if (address === "255.255.255.255") return "BROADCAST";
  if (/^(22[4-9]|23\d)\./.test(address) || /^ff[0-9a-f]{2}:/.test(address)) return "MULTICAST";
  return undefined;
}
