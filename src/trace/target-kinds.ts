// What can a rule do with a packet?
import type { Network, NumberRange, Side } from "./match-kinds.ts";

/** How a mark changes: `(mark & ~clear) ^ xor`. Both unsigned, 32 bits. */
export interface MarkChange {
  readonly clear: number;
  readonly xor: number;
}

/** A span of addresses, canonical; of one address, twice the same. */
export interface AddressSpan {
  readonly from: string;
  readonly to: string;
}

/** What a translation may choose from. No addresses: it stays. No ports: it stays where that is possible. */
export interface Translation {
  readonly addresses?: AddressSpan;
  readonly ports?: NumberRange;
  /** Ports move along: the n-th above this one becomes the n-th of the range. */
  readonly base?: number;
  readonly random: boolean;
  readonly randomFully: boolean;
  /** A client keeps its address. */
  readonly persistent: boolean;
}

/** The packet's fate in this table, or (RETURN) in this chain. */
export interface VerdictTarget {
  readonly kind: "verdict";
  readonly verdict: "ACCEPT" | "DROP" | "RETURN";
}

/** Goes through another chain; from a `goto` it does not come back here, but to whoever jumped here. */
export interface ChainTarget {
  readonly kind: "jump" | "goto";
  readonly chain: string;
}

/** Dropped, and the sender is told. */
export interface RejectTarget {
  readonly kind: "reject";
  /** As iptables spells it: `icmp-port-unreachable`, `tcp-reset`, `icmp6-adm-prohibited`; absent: port unreachable. */
  readonly answer?: string;
}

export interface NatTarget extends Translation {
  readonly kind: "dnat" | "snat";
}

/** The source becomes the address of the interface it leaves by; ports as of SNAT. */
export interface MasqueradeTarget extends Omit<Translation, "addresses" | "base" | "persistent"> {
  readonly kind: "masquerade";
}

/** The destination becomes this node: loopback for its own packets, else the first address of the interface. */
export interface RedirectTarget extends Omit<Translation, "addresses" | "base" | "persistent"> {
  readonly kind: "redirect";
}

/** Bits of the mask are taken from the network: destination in PREROUTING and OUTPUT, source in the other two. */
export interface NetmapTarget {
  readonly kind: "netmap";
  readonly network: Network;
}

/** Changes the byte of the IP header that holds DSCP and ECN, as a mark is changed; the packet goes on. */
export interface TosTarget extends MarkChange {
  readonly kind: "tos";
}

/** Changes the mark of the packet, or of its connection; the packet goes on. */
export interface MarkTarget extends MarkChange {
  readonly kind: "mark" | "connmark";
}

/**
 * Copies a mark. `save`: the connection's becomes `(it & ~connectionMask) ^ (packet's & packetMask)`; `restore`: the
 * packet's becomes `(it & ~packetMask) ^ (connection's & connectionMask)`.
 */
export interface MarkCopyTarget {
  readonly kind: "save-mark" | "restore-mark";
  readonly packetMask: number;
  readonly connectionMask: number;
}

/** The packet belongs to no connection. */
export interface NotrackTarget {
  readonly kind: "notrack";
}

/** Settles zone, helper, time-outs or events of the connection to be. */
export interface ConnectionTarget {
  readonly kind: "connection-settings";
  readonly zone?: string;
  readonly helper?: string;
  readonly text: string;
}

/** Hands the packet to a socket on this node, or drops it when there is none. */
export interface TproxyTarget extends MarkChange {
  readonly kind: "tproxy";
  /** Canonical; absent or unspecified: the first address of the interface it came by. */
  readonly address?: string;
  /** 0: the packet's own. */
  readonly port: number;
}

/** A program on the node decides; without one, `bypass` lets the packet on, else it is dropped. */
export interface QueueTarget {
  readonly kind: "queue";
  readonly queues: NumberRange;
  readonly bypass: boolean;
}

/** Changes a set; the packet goes on. */
export interface SetTarget {
  readonly kind: "set";
  readonly action: "add" | "remove";
  readonly name: string;
  readonly sides: readonly Side[];
}

/** Logs, counts or touches what decides nothing here (TTL, MSS, checksum); the packet goes on. */
export interface PassTarget {
  readonly kind: "pass";
  readonly name: string;
  readonly text: string;
}

/** The rule only counts. */
export interface NoTarget {
  readonly kind: "none";
}

/** Not understood. */
export interface UnknownTarget {
  readonly kind: "unknown";
  /** As the rule has it. */
  readonly text: string;
}

export type Target =
  | VerdictTarget
  | ChainTarget
  | RejectTarget
  | NatTarget
  | MasqueradeTarget
  | RedirectTarget
  | NetmapTarget
  | MarkTarget
  | MarkCopyTarget
  | TosTarget
  | NotrackTarget
  | ConnectionTarget
  | TproxyTarget
  | QueueTarget
  | SetTarget
  | PassTarget
  | NoTarget
  | UnknownTarget;
