// UDP conntrack entries and searches for them.
import type { Family } from "../net/family.ts";

/** An address and a port. */
export interface FlowEnd {
  /** Canonical. */
  readonly address: string;
  readonly port: number;
  /** `ip:port`, or `[ip]:port`. */
  readonly text: string;
}

/** One UDP conntrack entry in zone 0. */
export interface UdpFlow {
  readonly family: Family;
  /** Who sent the first packet. */
  readonly client: FlowEnd;
  /** Where it was sent to. */
  readonly destination: FlowEnd;
  /** Who is to answer: the endpoint where the destination was translated, else the destination itself. */
  readonly server: FlowEnd;
  /** The kernel's number for this entry: a digest of the first direction and of the entry's place in memory. */
  readonly id: number;
  /** The way back, from the server to whom it sees as its client, in the kernel's own form: it finds the entry by it. */
  readonly tuple: Uint8Array;
}

/** Flows to look for: to this port, at this address or, without one, at any. */
export interface FlowSearch {
  readonly address?: string;
  readonly port: number;
}
