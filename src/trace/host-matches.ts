// What do rules ask of the node round the packet: its bridges, sockets, routes, users, IPsec and IPVS?
import type { BridgePortMatch, Direction, IpvsMatch, Match, OwnerMatch, PacketTypeMatch } from "./match-kinds.ts";
import { readNetwork } from "./network.ts";
import { readProtocol } from "./protocol-names.ts";
import { ALL_BITS, LAST_PORT, readNumber, readRange } from "./rule-numbers.ts";
import { eachOption, type MatchReader, plainOptions, type RuleOption } from "./rule-options.ts";

type Reader = (value: string, option: RuleOption) => Match | undefined;

const PACKET_TYPES: readonly PacketTypeMatch["type"][] = ["unicast", "broadcast", "multicast"];

const METHODS = ["GATE", "IPIP", "MASQ"] as const;

export const readBridgePorts: MatchReader = eachOption(
  new Map<string, Reader>([
    ["--physdev-in", (value, { not }) => readBridgePort("in", value, not)],
    ["--physdev-out", (value, { not }) => readBridgePort("out", value, not)],
    ["--physdev-is-in", (value, { not }) => readBridge("is-in", value, not)],
    ["--physdev-is-out", (value, { not }) => readBridge("is-out", value, not)],
    ["--physdev-is-bridged", (value, { not }) => readBridge("is-bridged", value, not)],
  ]),
);

export const readOwner: MatchReader = eachOption(
  new Map<string, Reader>([
    ["--uid-owner", (value, { not }) => readOwnerRange("user", value, not)],
    ["--gid-owner", (value, { not }) => readOwnerRange("group", value, not)],
    ["--socket-exists", (value, { not }) => (value === "" ? { kind: "owner", of: "socket", not } : undefined)],
    ["--suppl-groups", () => ({ kind: "unjudged", name: "owner", text: "--suppl-groups" })],
  ]),
);

export const readSocket: MatchReader = (all) => {
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

export const readReversePath: MatchReader = (all) => {
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

/** What is asked of single policies stands as `unjudged` behind it. */
export const readIpsec: MatchReader = ([way, kind, ...more], text) => {
  const direction = way?.name === "--dir" && !way.not ? way.values.join() : "";
  const policy = kind?.name === "--pol" && !kind.not ? kind.values.join() : "";
  if ((direction !== "in" && direction !== "out") || (policy !== "none" && policy !== "ipsec")) return undefined;
  const match: Match = { kind: "ipsec", direction, policy };
  return more.length === 0 ? [match] : [match, { kind: "unjudged", name: "policy", text }];
};

export const readPacketType: MatchReader = eachOption(
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

export const readIpvs: MatchReader = eachOption(
  new Map<string, Reader>([
    ["--ipvs", (value, option) => askIpvs(value === "" ? { what: "managed" } : undefined, option)],
    ["--vproto", (value, option) => askIpvs(withNumber("protocol", readProtocol(value)), option)],
    ["--vaddr", (value, option) => askIpvs(withNetwork(value), option)],
    ["--vport", (value, option) => askIpvs(withNumber("port", readNumber(value, LAST_PORT)), option)],
    ["--vportctl", (value, option) => askIpvs(withNumber("control-port", readNumber(value, LAST_PORT)), option)],
    ["--vdir", (value, option) => askIpvs(withDirection(value), option)],
    ["--vmethod", (value, option) => askIpvs(withMethod(value), option)],
  ]),
);

function readBridgePort(asks: BridgePortMatch["asks"], value: string, not: boolean): Match | undefined {
  if (value === "") return undefined;
  const prefix = value.endsWith("+");
  return { kind: "bridge-port", asks, name: prefix ? value.slice(0, -1) : value, prefix, not };
}

function readBridge(asks: BridgePortMatch["asks"], value: string, not: boolean): Match | undefined {
  return value === "" ? { kind: "bridge-port", asks, not } : undefined;
}

function readOwnerRange(of: OwnerMatch["of"], value: string, not: boolean): Match | undefined {
  const range = readRange(value, "-", ALL_BITS);
  return range && { kind: "owner", of, range, not };
}

function askIpvs(asks: IpvsMatch["asks"] | undefined, { not }: RuleOption): Match | undefined {
  return asks && { kind: "ipvs", asks, not };
}

function withNumber(
  what: "protocol" | "port" | "control-port",
  number: number | undefined,
): IpvsMatch["asks"] | undefined {
  if (number === undefined) return undefined;
  return what === "protocol" ? { what, protocol: number } : { what, port: number };
}

function withNetwork(value: string): IpvsMatch["asks"] | undefined {
  const network = readNetwork(value);
  return network && { what: "address", network };
}

function withDirection(value: string): IpvsMatch["asks"] | undefined {
  if (value !== "ORIGINAL" && value !== "REPLY") return undefined;
  const direction: Direction = value === "REPLY" ? "reply" : "original";
  return { what: "direction", direction };
}

function withMethod(value: string): IpvsMatch["asks"] | undefined {
  const method = METHODS.find((one) => one === value);
  return method && { what: "method", method };
}
