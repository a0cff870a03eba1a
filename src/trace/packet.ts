// Which packet is traced?
import type { Family } from "../net/family.ts";

/** An interface's name; `none`: the packet has none at this point; `unknown`: nobody said which. */
export type Interface =
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" };

/**
 * The first packet of a connection. Of it is taken for granted what holds for nearly every one: it is whole and sent to
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
  /** 0 unless said. */
  readonly mark?: number;
  /** The interface by which it leaves the node, where that is known. */
  readonly outInterface?: string;
  /** Names of `recent` lists that remember its source from before. */
  readonly remembered?: ReadonlySet<string>;
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
export const SCTP = 132;
