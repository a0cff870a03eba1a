// Defines a traced packet and its state between two rules.

import { familyOf, hostPort } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { ForwardMethod, ServerIdentity } from "../state/virtual-server.ts";
import { type AddressBits, addressValue } from "./rule/network.ts";

/** `10.0.0.1:80`, or the address alone. */
export function printHostPort(address: string, port: number | undefined): string {
  return port === undefined ? address : hostPort(address, port);
}

/** An interface's name; `none`: the packet has none at this point; `unknown`: not given. */
export type Interface =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" };

/**
 * The first packet of a connection. It is assumed to be like nearly every such packet: it is whole and sent to
 * this host alone, its type of service is 0, a TCP packet has SYN and no other flag, one of SCTP an INIT chunk, one of
 * ICMP is an echo request; its IPv6 header has no extension, IPsec has nothing to do with it, and it comes by the way
 * that answers to its source leave by.
 */
export interface Packet {
  readonly family: Family;
  /** By its number: 6, 17, 132. */
  readonly protocol: number;
  readonly origin: Origin;
  /** Canonical. */
  readonly destination: string;
  /** Absent for a protocol that has none. */
  readonly destinationPort?: number | undefined;
  /** Absent: any. */
  readonly sourcePort?: number;
  /** Default 0. */
  readonly mark?: number;
  /** The interface by which it leaves the node, where that is known. */
  readonly outInterface?: string;
  /** Names of `recent` lists that remember its source from before. */
  readonly recentLists?: ReadonlySet<string>;
}

export type Origin =
  | {
      /** From outside of the node's own network: another machine, or a pod. */
      readonly kind: "arrives";
      /** Canonical. */
      readonly source: string;
      /** Absent: unknown. */
      readonly inInterface?: string;
    }
  | {
      /** From a process of the node. Without a source the node's routes choose one of its own addresses. */
      readonly kind: "node";
      readonly source?: string;
    };

/** Protocols that have ports: TCP, UDP, DCCP, SCTP, UDPlite. */
const WITH_PORTS: ReadonlySet<number> = new Set([6, 17, 33, 132, 136]);

export function hasPorts(protocol: number): boolean {
  return WITH_PORTS.has(protocol);
}

export const TCP = 6;

export const UDP = 17;

/** An address as text, canonical, and as bits to be masked. */
export interface HostAddress {
  readonly text: string;
  readonly bits: AddressBits;
}

/** The virtual server that handles the packet, and its forwarding method. */
export interface SelectedServer extends ServerIdentity {
  readonly method: ForwardMethod;
}

/** A packet between two rules. States with equal keys behave alike from here on. */
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
  readonly server: SelectedServer | undefined;
  /** Lists of the `recent` match that this very packet has put its source on. */
  readonly recentLists: readonly string[];
}

type StateParts = Omit<PacketState, "key">;

export function packetState(parts: StateParts): PacketState {
  return { ...parts, key: stateKey(parts) };
}

/** The packet with some parts changed. */
export function withChanges(state: PacketState, changes: Partial<StateParts>): PacketState {
  return packetState({ ...state, ...changes });
}

/** A canonical address. */
export function hostAddress(text: string): HostAddress {
  return { text, bits: { family: familyOf(text), bits: addressValue(text) } };
}

function stateKey(parts: StateParts): string {
  const { translated, server } = parts;
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
    server && `${server.address} ${server.port} ${server.protocol} ${server.method}`,
    ...parts.recentLists,
  ].join("|");
}
