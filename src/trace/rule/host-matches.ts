// Parses the matches physdev, owner, socket, ipvs, rpfilter, policy and pkttype.

import { type Network, parseNetwork } from "./network.ts";
import {
  ALL_BITS,
  type Direction,
  eachOption,
  LAST_PORT,
  type MatchParser,
  type NumberRange,
  parseNumber,
  parseProtocol,
  parseRange,
  plainOptions,
  type RuleOption,
  type UnevaluatedMatch,
} from "./options.ts";

/** Ports of a bridge that a packet came by or leaves by: a name, or whether there is one at all. */
export interface BridgePortMatch {
  readonly kind: "bridge-port";
  readonly property: "in" | "out" | "is-in" | "is-out" | "is-bridged";
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
  readonly property:
    | { readonly what: "managed" }
    | { readonly what: "protocol"; readonly protocol: number }
    | { readonly what: "address"; readonly network: Network }
    | { readonly what: "port" | "control-port"; readonly port: number }
    | { readonly what: "direction"; readonly direction: Direction }
    | { readonly what: "method"; readonly method: "GATE" | "IPIP" | "MASQ" };
  readonly not: boolean;
}

/** Would an answer leave by the interface that the packet came by? With `not`: it would not. */
interface ReversePathMatch {
  readonly kind: "reverse-path";
  /** Any interface is good enough. */
  readonly loose: boolean;
  /** The route is looked up with the packet's mark. */
  readonly validMark: boolean;
  /** Packets from the node itself are asked as well. */
  readonly acceptLocal: boolean;
  readonly not: boolean;
}

/** Has IPsec to do with the packet? More that is asked of its policies stands as `unevaluated` behind it. */
interface IpsecMatch {
  readonly kind: "ipsec";
  readonly direction: "in" | "out";
  readonly policy: "none" | "ipsec";
}

/** Whom the link layer sent it to. */
interface PacketTypeMatch {
  readonly kind: "packet-type";
  readonly type: "unicast" | "broadcast" | "multicast";
  readonly not: boolean;
}

/** Matches of `-m physdev`, `-m owner`, `-m socket`, `-m ipvs`, `-m rpfilter`, `-m policy` and `-m pkttype`. */
export type HostMatch =
  | BridgePortMatch
  | OwnerMatch
  | SocketMatch
  | IpvsMatch
  | ReversePathMatch
  | IpsecMatch
  | PacketTypeMatch
  | UnevaluatedMatch;

type Reader = (value: string, option: RuleOption) => HostMatch | undefined;

const PACKET_TYPES: readonly PacketTypeMatch["type"][] = ["unicast", "broadcast", "multicast"];

const METHODS = ["GATE", "IPIP", "MASQ"] as const;

export const parseBridgePorts: MatchParser<HostMatch> = eachOption(
  new Map<string, Reader>([
    ["--physdev-in", (value, { not }) => parseBridgePort("in", value, not)],
    ["--physdev-out", (value, { not }) => parseBridgePort("out", value, not)],
    ["--physdev-is-in", (value, { not }) => parseBridge("is-in", value, not)],
    ["--physdev-is-out", (value, { not }) => parseBridge("is-out", value, not)],
    ["--physdev-is-bridged", (value, { not }) => parseBridge("is-bridged", value, not)],
  ]),
);

export const parseOwner: MatchParser<HostMatch> = eachOption(
  new Map<string, Reader>([
    ["--uid-owner", (value, { not }) => parseOwnerRange("user", value, not)],
    ["--gid-owner", (value, { not }) => parseOwnerRange("group", value, not)],
    ["--socket-exists", (value, { not }) => (value === "" ? { kind: "owner", of: "socket", not } : undefined)],
    ["--suppl-groups", () => ({ kind: "unevaluated", name: "owner", text: "--suppl-groups" })],
  ]),
);

export const parseSocket: MatchParser<HostMatch> = (all) => {
  const options = plainOptions(all, ["--transparent", "--nowildcard", "--restore-skmark"]);
  return (
    options && [
      {
        kind: "socket",
        transparent: options.has("--transparent"),
        wildcard: options.has("--nowildcard"),
        restoreMark: options.has("--restore-skmark"),
      },
    ]
  );
};

export const parseReversePath: MatchParser<HostMatch> = (all) => {
  const options = plainOptions(all, ["--loose", "--validmark", "--accept-local", "--invert"]);
  return (
    options && [
      {
        kind: "reverse-path",
        loose: options.has("--loose"),
        validMark: options.has("--validmark"),
        acceptLocal: options.has("--accept-local"),
        not: options.has("--invert"),
      },
    ]
  );
};

/** What is asked of single policies stands as `unevaluated` behind it. */
export const parseIpsec: MatchParser<HostMatch> = ([way, kind, ...more], text) => {
  const direction = way?.name === "--dir" && !way.not ? way.values.join() : "";
  const policy = kind?.name === "--pol" && !kind.not ? kind.values.join() : "";
  if ((direction !== "in" && direction !== "out") || (policy !== "none" && policy !== "ipsec")) return undefined;
  const match: HostMatch = { kind: "ipsec", direction, policy };
  return more.length === 0 ? [match] : [match, { kind: "unevaluated", name: "policy", text }];
};

export const parsePacketType: MatchParser<HostMatch> = eachOption(
  new Map<string, Reader>([
    [
      "--pkt-type",
      (value, { not }) => {
        const type = PACKET_TYPES.find((one) => one === value);
        return type && { kind: "packet-type", type, not };
      },
    ],
  ]),
);

export const parseIpvs: MatchParser<HostMatch> = eachOption(
  new Map<string, Reader>([
    ["--ipvs", (value, option) => askIpvs(value === "" ? { what: "managed" } : undefined, option)],
    ["--vproto", (value, option) => askIpvs(withNumber("protocol", parseProtocol(value)), option)],
    ["--vaddr", (value, option) => askIpvs(withNetwork(value), option)],
    ["--vport", (value, option) => askIpvs(withNumber("port", parseNumber(value, LAST_PORT)), option)],
    ["--vportctl", (value, option) => askIpvs(withNumber("control-port", parseNumber(value, LAST_PORT)), option)],
    ["--vdir", (value, option) => askIpvs(withDirection(value), option)],
    ["--vmethod", (value, option) => askIpvs(withMethod(value), option)],
  ]),
);

function parseBridgePort(property: BridgePortMatch["property"], value: string, not: boolean): HostMatch | undefined {
  if (value === "") return undefined;
  const prefix = value.endsWith("+");
  return { kind: "bridge-port", property, name: prefix ? value.slice(0, -1) : value, prefix, not };
}

function parseBridge(property: BridgePortMatch["property"], value: string, not: boolean): HostMatch | undefined {
  return value === "" ? { kind: "bridge-port", property, not } : undefined;
}

function parseOwnerRange(of: OwnerMatch["of"], value: string, not: boolean): HostMatch | undefined {
  const range = parseRange(value, "-", ALL_BITS);
  return range && { kind: "owner", of, range, not };
}

function askIpvs(property: IpvsMatch["property"] | undefined, { not }: RuleOption): HostMatch | undefined {
  return property && { kind: "ipvs", property, not };
}

function withNumber(
  what: "protocol" | "port" | "control-port",
  number: number | undefined,
): IpvsMatch["property"] | undefined {
  if (number === undefined) return undefined;
  return what === "protocol" ? { what, protocol: number } : { what, port: number };
}

function withNetwork(value: string): IpvsMatch["property"] | undefined {
  const network = parseNetwork(value);
  return network && { what: "address", network };
}

function withDirection(value: string): IpvsMatch["property"] | undefined {
  if (value !== "ORIGINAL" && value !== "REPLY") return undefined;
  const direction: Direction = value === "REPLY" ? "reply" : "original";
  return { what: "direction", direction };
}

function withMethod(value: string): IpvsMatch["property"] | undefined {
  const method = METHODS.find((one) => one === value);
  return method && { what: "method", method };
}
