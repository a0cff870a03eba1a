// What does IPVS hold? Virtual servers, and the real servers behind each.
import type { Protocol } from "../net/protocol.ts";

/** How packets reach a real server. A node proxy makes `masquerade` only; others were made by somebody else. */
export type ForwardMethod = "masquerade" | "local" | "tunnel" | "route" | "bypass";

export interface RealServer {
  /** Canonical. */
  readonly address: string;
  readonly port: number;
  readonly method: ForwardMethod;
  /** 0 while it drains: no new connection comes. */
  readonly weight: number;
}

/** What tells one virtual server from another. */
export interface ServerIdentity {
  /** Canonical. */
  readonly address: string;
  readonly protocol: Protocol;
  readonly port: number;
}

export interface VirtualServer extends ServerIdentity {
  /** Name of the kernel's scheduler. */
  readonly scheduler: string;
  /** Flags 1 to 3 of the scheduler, as bits 0x8, 0x10, 0x20 (`mh-port` and `sh-port` are 0x10). */
  readonly schedulerFlags: number;
  /** Seconds that a client stays with its real server; 0: no persistence. */
  readonly persistence: number;
  /**
   * Flags that none of ours has, where there are some: 0x4 makes each packet choose anew, 0x1 stands for persistence
   * without a time.
   */
  readonly otherFlags?: number;
  /** Each address and port once. */
  readonly realServers: readonly RealServer[];
}

/** A real server as it was found, with what it has to do. */
export interface BusyServer extends RealServer {
  readonly activeConnections: number;
  readonly inactiveConnections: number;
}

/** A virtual server as it was found. Those by firewall mark belong to somebody else and are never among them. */
export interface ObservedServer extends Omit<VirtualServer, "realServers"> {
  readonly realServers: readonly BusyServer[];
}

/** `10.96.1.1:80/TCP`, `[fd00::1]:53/UDP`: one text for one identity. */
export function printIdentity({ address, protocol, port }: ServerIdentity): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}/${protocol}`;
}
