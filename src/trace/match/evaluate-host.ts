// Evaluates matches of bridge ports, sockets, socket owners and IPVS.

import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import { hostAddress, type PacketState, type TakenBy } from "../packet.ts";
import type { BridgePortMatch, IpvsMatch, OwnerMatch, SocketMatch } from "../rule/host-matches.ts";
import { networkHolds } from "../rule/network.ts";
import type { Situation } from "./context.ts";
import { FAILS, type Judgement, judged, unknown } from "./match-result.ts";

/** Only what came in through a bridge has a port of one. */
export function judgeBridgePort({ asks, not }: BridgePortMatch, { packet }: Situation): Judgement {
  if (packet.origin.kind === "node") return judged(not);
  return unknown(asks === "out" || asks === "is-out" ? "asks for the bridge port it leaves by" : WHICH_PORT);
}

const WHICH_PORT = "asks for the bridge port it came by";

/** What is forwarded belongs to nobody here. */
export function judgeOwner({ not }: OwnerMatch, { packet }: Situation): Judgement {
  return packet.origin.kind === "node" ? unknown("asks whose process sends it") : judged(not);
}

/** No socket has taken a new connection. One may listen for it, but for addresses of others only on all of them. */
export function judgeSocket({ wildcard }: SocketMatch, state: PacketState, { locality }: Situation): Judgement {
  if (!wildcard && locality.isLocal(state.destination.text) === false) return FAILS;
  return unknown("asks whether a process listens for it");
}

/** Of a packet that no virtual server took nothing holds, and nothing the contrary of which is asked. */
export function judgeIpvs({ asks, not }: IpvsMatch, { takenBy }: PacketState): Judgement {
  if (asks.what === "managed") return judged((takenBy !== undefined) !== not);
  return takenBy === undefined ? FAILS : judged(isOf(asks, takenBy) !== not);
}

const METHODS = { GATE: "route", IPIP: "tunnel", MASQ: "masquerade" } as const;

/** A control port is that of a connection which another one belongs to, as data of FTP do. */
function isOf(asks: Exclude<IpvsMatch["asks"], { what: "managed" }>, server: TakenBy): boolean {
  switch (asks.what) {
    case "protocol":
      return asks.protocol === PROTOCOL_NUMBERS[server.protocol];
    case "address":
      return networkHolds(asks.network, hostAddress(server.address).bits);
    case "port":
      return asks.port === server.port;
    case "control-port":
      return false;
    case "direction":
      return asks.direction === "original";
    case "method":
      return METHODS[asks.method] === server.method;
  }
}
