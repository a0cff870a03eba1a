// What has become of the packet so far?
import { familyOf } from "../net/address.ts";
import type { ForwardMethod, ServerIdentity } from "../state/virtual-server.ts";
import { addressValue } from "./address-value.ts";
import type { AddressBits } from "./network.ts";

/** An address as text, canonical, and as bits to be masked. */
export interface HostAddress {
  readonly text: string;
  readonly bits: AddressBits;
}

/** The virtual server that took the packet, and how it sends it on. */
export interface TakenBy extends ServerIdentity {
  readonly method: ForwardMethod;
}

/** A packet between two rules. Two with the same key have the same future. */
export interface PacketState {
  readonly key: string;
  /** Undefined: one of the node's own addresses; which one, the routes decide. */
  readonly source: HostAddress | undefined;
  /** Undefined: any, or none. */
  readonly sourcePort: number | undefined;
  readonly destination: HostAddress;
  readonly destinationPort: number | undefined;
  /** Unsigned, like the connection's. */
  readonly mark: number;
  readonly connectionMark: number;
  /** False once it was taken out of connection tracking. */
  readonly tracked: boolean;
  /** Has a rule translated the connection's source, or its destination? */
  readonly translated: { readonly source: boolean; readonly destination: boolean };
  readonly takenBy: TakenBy | undefined;
  /** Lists of the `recent` match that this very packet has put its source on. */
  readonly remembered: readonly string[];
}

type Parts = Omit<PacketState, "key">;

export function packetState(parts: Parts): PacketState {
  return { ...parts, key: keyOf(parts) };
}

/** The packet with some parts changed. */
export function changed(state: PacketState, changes: Partial<Parts>): PacketState {
  return packetState({ ...state, ...changes });
}

/** A canonical address. */
export function hostAddress(text: string): HostAddress {
  return { text, bits: { family: familyOf(text), bits: addressValue(text) } };
}

function keyOf(parts: Parts): string {
  const { translated, takenBy } = parts;
  return [
    parts.source?.text,
    parts.sourcePort,
    parts.destination.text,
    parts.destinationPort,
    parts.mark,
    parts.connectionMark,
    parts.tracked,
    translated.source,
    translated.destination,
    takenBy && `${takenBy.address} ${takenBy.port} ${takenBy.protocol} ${takenBy.method}`,
    ...parts.remembered,
  ].join("|");
}
