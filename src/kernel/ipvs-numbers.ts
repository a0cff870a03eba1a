// Which numbers does IPVS have for what (linux/ip_vs.h)?
import type { Family } from "../net/family.ts";
import type { Protocol } from "../net/protocol.ts";
import type { ForwardMethod } from "../state/virtual-server.ts";

export const FAMILY_NAME = "IPVS";

/** Of its messages. */
export const VERSION = 1;

export const COMMAND = {
  "add-server": 1,
  "set-server": 2,
  "remove-server": 3,
  "list-servers": 4,
  "add-real": 5,
  "set-real": 6,
  "remove-real": 7,
  "list-real": 8,
  "set-timeouts": 12,
  flush: 17,
} as const;

// Attributes. All numbers in them are in the order of the host, but for addresses, ports and the mask of IPv4.
export const TOP = { server: 1, real: 2, tcp: 4, tcpFin: 5, udp: 6 } as const;

export const SERVER = {
  family: 1,
  protocol: 2,
  address: 3,
  port: 4,
  mark: 5,
  scheduler: 6,
  flags: 7,
  persistence: 8,
  mask: 9,
} as const;

export const REAL = {
  address: 1,
  port: 2,
  method: 3,
  weight: 4,
  upper: 5,
  lower: 6,
  active: 7,
  inactive: 8,
  family: 11,
} as const;

/** Flags of a virtual server. `hashed` is the kernel's own and always there; `scheduler` are three for the scheduler. */
export const FLAG = { persistent: 0x1, hashed: 0x2, scheduler: 0x38 } as const;

export const FAMILY: Readonly<Record<Family, number>> = { IPv4: 2, IPv6: 10 };

export const PROTOCOL: Readonly<Record<Protocol, number>> = { TCP: 6, UDP: 17, SCTP: 132 };

/** By their numbers, from 0 on. */
export const METHODS: readonly ForwardMethod[] = ["masquerade", "local", "tunnel", "route", "bypass"];
