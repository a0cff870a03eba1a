// Words for ipset's own error numbers (linux/netfilter/ipset/ip_set.h).
import type { SetType } from "../state/ip-set.ts";
import { errnoName } from "./netlink-message.ts";

/** A name to look up, and words. */
export interface ErrorWords {
  readonly code: string;
  readonly words: string;
}

/** Numbers from here on mean something else for each kind of type. */
const OF_TYPES = 4352;

const GENERAL: ReadonlyMap<number, readonly [code: string, words: string]> = new Map([
  [2, ["ENOENT", "there is no such set"]],
  [17, ["EEXIST", "a set of this name exists with another type, size or options"]],
  [4097, ["IPSET_ERR_PROTOCOL", "the kernel does not understand it"]],
  [4098, ["IPSET_ERR_FIND_TYPE", "the kernel has no such type of set"]],
  [4099, ["IPSET_ERR_MAX_SETS", "there are too many sets"]],
  [4100, ["IPSET_ERR_BUSY", "a rule or another set uses it"]],
  [4101, ["IPSET_ERR_EXIST_SETNAME2", "there is no set of the second name, or there is one"]],
  [4102, ["IPSET_ERR_TYPE_MISMATCH", "the sets are of different types"]],
  [4103, ["IPSET_ERR_EXIST", "it is there already, or is not there"]],
  [4104, ["IPSET_ERR_INVALID_CIDR", "the prefix length is not valid"]],
  [4105, ["IPSET_ERR_INVALID_NETMASK", "the netmask is not valid"]],
  [4106, ["IPSET_ERR_INVALID_FAMILY", "the address family is not valid"]],
  [4107, ["IPSET_ERR_TIMEOUT", "the set has no timeouts"]],
  [4108, ["IPSET_ERR_REFERENCED", "a rule or another set uses it"]],
  [4109, ["IPSET_ERR_IPADDR_IPV4", "an IPv4 address is expected"]],
  [4110, ["IPSET_ERR_IPADDR_IPV6", "an IPv6 address is expected"]],
]);

const HASH: ReadonlyMap<number, readonly [code: string, words: string]> = new Map([
  [4352, ["IPSET_ERR_HASH_FULL", "the set is full"]],
  [4353, ["IPSET_ERR_HASH_ELEM", "the entry is not valid"]],
  [4354, ["IPSET_ERR_INVALID_PROTO", "the protocol is not valid"]],
  [4355, ["IPSET_ERR_MISSING_PROTO", "the protocol is missing"]],
  [4356, ["IPSET_ERR_HASH_RANGE_UNSUPPORTED", "ranges are not supported"]],
  [4357, ["IPSET_ERR_HASH_RANGE", "the range is not valid"]],
]);

const BITMAP: ReadonlyMap<number, readonly [code: string, words: string]> = new Map([
  [4352, ["IPSET_ERR_BITMAP_RANGE", "the entry is out of the range of the set"]],
  [4353, ["IPSET_ERR_BITMAP_RANGE_SIZE", "the range is too large"]],
]);

/** The words for a positive errno, of a request about a set of this type where that is known. */
export function setErrorWords(errno: number, type?: SetType): ErrorWords {
  const ofType = type === "bitmap:port" ? BITMAP : HASH;
  const [code, words] = (errno >= OF_TYPES && type !== undefined ? ofType : GENERAL).get(errno) ?? [
    errnoName(errno),
    "the kernel refuses",
  ];
  return { code, words };
}
