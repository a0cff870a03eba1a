// What does the kernel's ipset hold? Sets of addresses and ports that rules match against.

export const SET_TYPES = ["hash:ip", "hash:ip,port", "hash:ip,port,ip", "hash:ip,port,net", "bitmap:port"] as const;

export type SetType = (typeof SET_TYPES)[number];

/** How a set is made. The kernel keeps these for the set's life; `hashsize` alone grows. */
export interface SetHeader {
  /** At most 31 characters. */
  readonly name: string;
  readonly type: SetType;
  /** `inet` and `inet6` for hash types; bitmap:port has none. */
  readonly family: "inet" | "inet6" | "none";
  /** Most entries of a hash; absent: as many as the tool itself gives one. */
  readonly maxEntries?: number;
}

/**
 * A set with its entries, each in the form `ipset save` prints it, which is canonical: `10.96.1.1`, `10.96.1.1,tcp:80`,
 * `10.71.1.5,tcp:8080,10.71.1.5`, `203.0.113.5,tcp:443,192.0.2.0/24` (a whole address without its prefix length), `31080`.
 * A protocol without a name there stands by its number; `nomatch` behind a blank ends an entry that is an exception.
 */
export interface IpSet extends SetHeader {
  readonly entries: ReadonlySet<string>;
}

/** One entry and the set it is in. */
export interface SetEntry {
  readonly set: string;
  readonly entry: string;
  /** It stands for this address on the mode's interface, and is only there when that is. Canonical. */
  readonly address?: string;
}
