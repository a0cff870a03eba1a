// Message and attribute numbers of ipset's netlink protocol (linux/netfilter/ipset/ip_set.h).
import type { SetHeader } from "../state/ip-set.ts";

/** Of nfnetlink, in the upper half of a message's type. */
export const SUBSYSTEM = 6 * 256;

export const COMMAND = {
  protocol: 1,
  create: 2,
  destroy: 3,
  swap: 6,
  list: 7,
  add: 9,
  remove: 10,
  type: 13,
} as const;

/** Says of an attribute that its number is in network order, without which the kernel takes none. */
export const NETWORK_ORDER = 0x4000;

/** Attributes of a message. */
export const TOP = {
  protocol: 1,
  name: 2,
  type: 3,
  revision: 4,
  family: 5,
  flags: 6,
  data: 7,
  list: 8,
  least: 10,
} as const;

/** Attributes of a set or of an entry. */
export const DATA = {
  address: 1,
  port: 4,
  portTo: 5,
  timeout: 6,
  protocol: 7,
  flags: 8,
  line: 9,
  markMask: 11,
  bitMask: 12,
  hashSize: 18,
  maxEntries: 19,
  netmask: 20,
  second: 20,
  prefix: 21,
  elements: 24,
} as const;

/** `IPSET_FLAG_LIST_HEADER` of a command: sets without their entries. */
export const LIST_HEADER = 1 << 2;

/** The one attribute inside of an address. */
export const ATTRIBUTE = { ipv4: 1, ipv6: 2 } as const;

/** Flag of an entry: what is in its network does not match. */
export const NOMATCH = 0x4;

/** `IPSET_FLAG_WITH_…` of a set, by their bit, with the option of `ipset create`. */
export const SET_FLAGS = [
  [1 << 3, "counters"],
  [1 << 4, "comment"],
  [1 << 5, "forceadd"],
  [1 << 6, "skbinfo"],
] as const;

export const FAMILY: Readonly<Record<SetHeader["family"], number>> = { inet: 2, inet6: 10, none: 0 };

/** The range of every bitmap. */
export const PORTS = { from: 0, to: 65_535 } as const;
