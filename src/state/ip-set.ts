// Sets of the kernel's ipset: addresses and ports that rules match against.

export const SET_TYPES = ["hash:ip", "hash:ip,port", "hash:ip,port,ip", "hash:ip,port,net", "bitmap:port"] as const;

export type SetType = (typeof SET_TYPES)[number];

/** How a set is made. The kernel keeps these for the set's life; `hashsize` alone grows. */
export interface SetHeader {
  /** At most 31 characters. */
  readonly name: string;
  readonly type: SetType;
  /** `inet` and `inet6` for hash types; bitmap:port has none. */
  readonly family: "inet" | "inet6" | "none";
  /** `maxelem` of a hash; absent: 65536, the default of `ipset`. */
  readonly maxEntries?: number;
  /** `range` of a bitmap, such as `0-1023`; absent: 0-65535. */
  readonly range?: string;
}

/** A set of a type or with options that we never use. Its entries are not read. */
export interface OtherSet {
  readonly name: string;
  readonly type: string;
  readonly family: string;
  /** In the words of `ipset save`: `timeout 300`, `counters`. */
  readonly options: readonly string[];
}

/** The difference in type, family or options; undefined where at most the size differs, which a SWAP can change. */
export function setConflict(wanted: SetHeader, found: SetHeader | OtherSet): string | undefined {
  const differences = [
    ...(found.type === wanted.type ? [] : [`type ${found.type}, expected ${wanted.type}`]),
    ...(found.family === wanted.family ? [] : [`family ${found.family}, expected ${wanted.family}`]),
    ...("options" in found && found.options.length > 0 ? [`${found.options.join(" ")}, expected no such option`] : []),
  ];
  return differences.length === 0 ? undefined : differences.join("; ");
}

export function sameSize(one: SetHeader, other: SetHeader): boolean {
  return one.maxEntries === other.maxEntries && one.range === other.range;
}

/** The name under which a replacement of a set is filled before both change names; one for each IP family. */
export function scratchName(name: string): string {
  return name.startsWith("KUBE-6-") ? "KUBE-6-SCRATCH" : "KUBE-SCRATCH";
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
