// Which questions can a rule ask of a packet beside its addresses, protocol and interfaces?
import type { Family } from "../net/family.ts";

/** Both ends belong to it. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
}

/** All addresses that are alike in the bits of the mask. The mask need not be a prefix. */
export interface Network {
  readonly family: Family;
  /** As a number, masked. */
  readonly address: bigint;
  readonly mask: bigint;
}

/** Which end of the packet is asked about. */
export type Side = "source" | "destination";

/** Which way of a connection: as its first packet went, or as answers go. */
export type Direction = "original" | "reply";

/** As `--ctstate` and `--state` spell them. SNAT and DNAT: the connection's addresses are translated. */
export type ConnectionState = "INVALID" | "NEW" | "ESTABLISHED" | "RELATED" | "UNTRACKED" | "SNAT" | "DNAT";

/** As `--ctstatus` spells them; of NONE, a connection has none of the others. */
export type ConnectionStatus = "NONE" | "EXPECTED" | "SEEN_REPLY" | "ASSURED" | "CONFIRMED";

/** What a route says of an address, as `--src-type` and `--dst-type` spell it. */
export type AddressType =
  | "UNSPEC"
  | "UNICAST"
  | "LOCAL"
  | "BROADCAST"
  | "ANYCAST"
  | "MULTICAST"
  | "BLACKHOLE"
  | "UNREACHABLE"
  | "PROHIBIT"
  | "THROW"
  | "NAT"
  | "XRESOLVE";

/** Ports of TCP, UDP, SCTP, DCCP or UDPlite; `either`: one of the two is in a range. Holds for no later fragment. */
export interface PortsMatch {
  readonly kind: "ports";
  readonly side: Side | "either";
  readonly ranges: readonly NumberRange[];
  readonly not: boolean;
}

/** Of the flags in `mask`, exactly those in `set` are on: FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32. */
export interface TcpFlagsMatch {
  readonly kind: "tcp-flags";
  readonly mask: number;
  readonly set: number;
  readonly not: boolean;
}

/** Chunks of an SCTP packet: all of these are in it, any of them, or no others. */
export interface ChunkTypesMatch {
  readonly kind: "chunk-types";
  readonly how: "all" | "any" | "only";
  /** As written: `INIT`, `DATA:be`; `ALL` for every type. */
  readonly chunks: readonly string[];
  readonly not: boolean;
}

/** Type and, if asked, code of ICMP or ICMPv6; no type: any. */
export interface IcmpMatch {
  readonly kind: "icmp";
  readonly type?: number;
  readonly code?: number;
  readonly not: boolean;
}

/** Is the packet's mark (or its connection's), cut to the mask, this value? */
export interface MarkMatch {
  readonly kind: "mark" | "connmark";
  readonly value: number;
  readonly mask: number;
  readonly not: boolean;
}

/** Is the connection in one of these states? */
export interface StateMatch {
  readonly kind: "conntrack-state";
  readonly states: ReadonlySet<ConnectionState>;
  readonly not: boolean;
}

/** Has the connection one of these marks of progress? */
export interface StatusMatch {
  readonly kind: "conntrack-status";
  readonly statuses: ReadonlySet<ConnectionStatus>;
  readonly not: boolean;
}

/** The connection's protocol; 0 is none. */
export interface ConnectionProtocolMatch {
  readonly kind: "conntrack-protocol";
  readonly protocol: number;
  readonly not: boolean;
}

/** An address of the connection, before translation (`original`) or as answers bear it (`reply`). */
export interface ConnectionAddressMatch {
  readonly kind: "conntrack-address";
  readonly direction: Direction;
  readonly side: Side;
  readonly network: Network;
  readonly not: boolean;
}

/** A port of the connection, likewise. */
export interface ConnectionPortMatch {
  readonly kind: "conntrack-port";
  readonly direction: Direction;
  readonly side: Side;
  readonly range: NumberRange;
  readonly not: boolean;
}

/** Which way of its connection the packet goes. */
export interface ConnectionDirectionMatch {
  readonly kind: "conntrack-direction";
  readonly direction: Direction;
}

/** What the node's routes say of an address, all interfaces counted or only the packet's own. */
export interface AddressTypeMatch {
  readonly kind: "address-type";
  readonly side: Side;
  readonly types: ReadonlySet<AddressType>;
  readonly only?: "in-interface" | "out-interface";
  readonly not: boolean;
}

/** Is an address one of these? Both ends belong to it, as numbers. */
export interface AddressRangeMatch {
  readonly kind: "address-range";
  readonly side: Side;
  readonly family: Family;
  readonly from: bigint;
  readonly to: bigint;
  readonly not: boolean;
}

/** Holds with probability `threshold` / 2^31; with `not`, the rest. */
export interface RandomMatch {
  readonly kind: "random";
  readonly threshold: number;
  readonly not: boolean;
}

/** Holds for one packet in `every`, by count: the one numbered `packet`, from 0. */
export interface NthMatch {
  readonly kind: "nth";
  readonly every: number;
  readonly packet: number;
  readonly not: boolean;
}

/**
 * A list of addresses that were seen. `set` remembers and always holds (with `not`, never); `check` asks, `update` asks
 * and remembers anew, `remove` asks and forgets.
 */
export interface RecentMatch {
  readonly kind: "recent";
  readonly action: "set" | "check" | "update" | "remove";
  /** `DEFAULT` where the rule names none. */
  readonly name: string;
  readonly side: Side;
  /** Canonical; addresses are cut to it. */
  readonly mask?: string;
  /** Seen within this many seconds. */
  readonly seconds?: number;
  /** At least this many times. */
  readonly hits?: number;
  /** Older ones are forgotten on the way. */
  readonly reap: boolean;
  /** With the same TTL as well. */
  readonly ttl: boolean;
  readonly not: boolean;
}

/** Is what the packet has at these places in the set? */
export interface SetMatch {
  readonly kind: "set";
  readonly name: string;
  /** For each part of an entry the end that it is taken from. */
  readonly sides: readonly Side[];
  /** The other way round: it holds for what an entry with `nomatch` takes out, and for nothing else. */
  readonly returnNomatch: boolean;
  readonly not: boolean;
}

/** Ports of a bridge that a packet came by or leaves by: a name, or whether there is one at all. */
export interface BridgePortMatch {
  readonly kind: "bridge-port";
  readonly asks: "in" | "out" | "is-in" | "is-out" | "is-bridged";
  /** Only of `in` and `out`; with `prefix` as of `-i`. */
  readonly name?: string;
  readonly prefix?: boolean;
  readonly not: boolean;
}

/** Whose socket on this node sends it; a packet that is forwarded has none. */
export interface OwnerMatch {
  readonly kind: "owner";
  readonly of: "user" | "group" | "socket";
  /** Numbers of users or groups. */
  readonly range?: NumberRange;
  readonly not: boolean;
}

/** Has a socket on this node taken the connection, or does one listen for it? */
export interface SocketMatch {
  readonly kind: "socket";
  /** Only one that is transparent counts. */
  readonly transparent: boolean;
  /** One that listens on every address counts too. */
  readonly wildcard: boolean;
  /** The packet's mark becomes the socket's. */
  readonly restoreMark: boolean;
}

/** Is the packet IPVS's own? Of what: the virtual server's protocol, address or port, or the connection's direction. */
export interface IpvsMatch {
  readonly kind: "ipvs";
  readonly asks:
    | { readonly what: "managed" }
    | { readonly what: "protocol"; readonly protocol: number }
    | { readonly what: "address"; readonly network: Network }
    | { readonly what: "port" | "control-port"; readonly port: number }
    | { readonly what: "direction"; readonly direction: Direction }
    | { readonly what: "method"; readonly method: "GATE" | "IPIP" | "MASQ" };
  readonly not: boolean;
}

/** The byte of the IP header that holds DSCP and ECN, cut to the mask. */
export interface TosMatch {
  readonly kind: "tos";
  readonly value: number;
  readonly mask: number;
  readonly not: boolean;
}

/** Would an answer leave by the interface that the packet came by? With `not`: it would not. */
export interface ReversePathMatch {
  readonly kind: "reverse-path";
  /** Any interface is good enough. */
  readonly loose: boolean;
  /** The route is looked up with the packet's mark. */
  readonly validMark: boolean;
  /** Packets from the node itself are asked as well. */
  readonly acceptLocal: boolean;
  readonly not: boolean;
}

/** Has IPsec to do with the packet? More that is asked of its policies stands as `unjudged` behind it. */
export interface IpsecMatch {
  readonly kind: "ipsec";
  readonly direction: "in" | "out";
  readonly policy: "none" | "ipsec";
}

/** Whom the link layer sent it to. */
export interface PacketTypeMatch {
  readonly kind: "packet-type";
  readonly type: "unicast" | "broadcast" | "multicast";
  readonly not: boolean;
}

/** Something about a header between that of IP and the transport's. Holds for no packet that lacks the header. */
export interface ExtensionHeaderMatch {
  readonly kind: "extension-header";
  /** Name of the match: `rt`, `frag`, `hbh`, `dst`, `mh`, `ah`, `esp`, `ipcomp`. */
  readonly header: string;
  readonly text: string;
}

/** A note. Holds always. */
export interface CommentMatch {
  readonly kind: "comment";
  readonly text: string;
}

/** Counts the packet under a name. Holds always. */
export interface CounterMatch {
  readonly kind: "counter";
  readonly name: string;
}

/** Understood, but it depends on what nobody knows of a packet that is not there: rates, sizes, time of day, content. */
export interface UnjudgedMatch {
  readonly kind: "unjudged";
  /** Name of the match: `limit`, `u32`. */
  readonly name: string;
  /** As the rule has it, `-m` and all. */
  readonly text: string;
}

/** Not understood. */
export interface UnknownMatch {
  readonly kind: "unknown";
  /** As the rule has it. */
  readonly text: string;
}

export type Match =
  | PortsMatch
  | TcpFlagsMatch
  | ChunkTypesMatch
  | IcmpMatch
  | MarkMatch
  | StateMatch
  | StatusMatch
  | ConnectionProtocolMatch
  | ConnectionAddressMatch
  | ConnectionPortMatch
  | ConnectionDirectionMatch
  | AddressTypeMatch
  | AddressRangeMatch
  | RandomMatch
  | NthMatch
  | RecentMatch
  | SetMatch
  | BridgePortMatch
  | OwnerMatch
  | SocketMatch
  | IpvsMatch
  | TosMatch
  | ReversePathMatch
  | IpsecMatch
  | PacketTypeMatch
  | ExtensionHeaderMatch
  | CommentMatch
  | CounterMatch
  | UnjudgedMatch
  | UnknownMatch;
