// The state that we own in the kernel: one plain value per IP family, desired by a mode or observed on a machine.
import type { Family } from "../net/family.ts";
import { type PagedList, pagedList } from "../paged-list.ts";
import type { IpSet, OtherSet, SetEntry, SetHeader } from "./ip-set.ts";
import type { ObservedServer, VirtualServer } from "./virtual-server.ts";

export const TABLES = ["filter", "mangle", "nat", "raw", "security"] as const;

/** The tables of iptables, in the order they are printed. */
export type TableName = (typeof TABLES)[number];

/** One for each table. */
export function byTable<T>(make: () => T): Readonly<Record<TableName, T>> {
  return { filter: make(), mangle: make(), nat: make(), raw: make(), security: make() };
}

/** Which template rule a line came from: file `nat/KUBE-SEP`, heading `hairpin`, and the reason written behind it. */
export interface Origin {
  readonly template: string;
  readonly heading: string;
  readonly reason: string;
}

/** One rule: its line in save form (`-A CHAIN …`, as iptables 1.8.9 prints it) and, when ours, where it came from. */
export interface Rule {
  readonly line: string;
  readonly origin?: Origin;
}

/**
 * How much of a chain is ours.
 * - `ours`: exactly these rules, nothing else.
 * - `ensured`: it exists; what is in it is somebody else's.
 * - `built-in`: these jumps are in it, at any position; a missing one goes to the head.
 */
export type Hold = "ours" | "ensured" | "built-in";

export interface Chain {
  readonly name: string;
  readonly hold: Hold;
  readonly rules: readonly Rule[];
  /** Rules that stand behind the shares of all fragments. */
  readonly last?: readonly Rule[];
  /** The shares do not stand in it one after the other, but by their keys in chains below it. */
  readonly index?: Index;
}

/** How shares are found by a key: that of each is a row of octal digits, and a chain holds those that begin alike. */
export interface Index {
  /** Throws a RangeError for a rule without a key: that is a fault of ours. */
  readonly keyOf: (rule: Rule) => string;
  /** The name of the chain of all keys that begin with these digits. */
  readonly chainOf: (place: string) => string;
  /** The rule that leads from a chain to the chain of a place; back from there to the root, or to who led to that. */
  readonly wayTo: (from: string, place: string, back: "root" | "beyond") => Rule;
  /** Fragments that have places in it too, though their rules are left out. */
  readonly among?: PagedList<Fragment>;
}

/** Chains by name. */
export type Chains = ReadonlyMap<string, Chain>;

export function byName(chains: readonly Chain[]): Chains {
  return new Map(chains.map((chain) => [chain.name, chain]));
}

/** Shared chain name → rules in it, in order. */
export type Shares = ReadonlyMap<string, readonly Rule[]>;

/**
 * All that one ServicePort needs in the kernel. The same object as long as nothing it depends on changed. Its text is
 * written out anew at each call, so that a state is small however many rules it stands for.
 */
export interface Fragment {
  /** Printed name and protocol of the ServicePort: `shop/cart:http/TCP`. */
  readonly key: string;
  /** About how many lines its own chains take in a restore: told without writing them. */
  readonly size: number;
  /** Chains of its own. */
  chains(table: TableName): readonly Chain[];
  /** Its part of the chains that all share. */
  shares(table: TableName): Shares;
  /** Its part of what a mode has beside tables, in a mode that has any of it. */
  ipvs(): IpvsShare | undefined;
}

/** What one ServicePort has in sets, in IPVS, and on the interface of IPVS mode. Others may claim the same. */
export interface IpvsShare {
  readonly entries: readonly SetEntry[];
  /** Of two for one address, protocol and port the last one counts. */
  readonly servers: readonly VirtualServer[];
  /** Canonical. */
  readonly addresses: readonly string[];
  /** Its rules in a chain of all in which they stand in another order than ServicePorts do: `tables` has them too. */
  readonly rules: readonly Rule[];
}

/** Items that a sync leaves out, by the keys of `ipvs-claims.ts`. */
export interface Withheld {
  /** Rejected by the kernel: left as they are there, neither added nor changed nor removed. */
  readonly rejected: ReadonlySet<string>;
  /** Entries that would have packets rejected because the entry that admits them is missing: removed. */
  readonly dependent: ReadonlySet<string>;
}

/** Sets that decide whether packets to a bound address are let in. */
export interface Admission {
  /** Names of sets of `hash:ip,port`: what matches one is let in. */
  readonly admitting: ReadonlySet<string>;
  /** Name of the set of `hash:ip`: what matches it, and none of the others, is rejected. */
  readonly rejecting: string;
}

/** What a mode has in the kernel beside tables: sets, and IPVS mode servers and addresses. Wanted: what does not depend on Services, the rest is in fragments. */
export type IpvsState =
  | {
      readonly kind: "wanted";
      readonly sets: readonly SetHeader[];
      /** Interfaces, by name: the one that has the addresses. */
      readonly devices: readonly string[];
      /** Virtual servers at addresses in these ranges are left alone, whoever made them. */
      readonly spared: readonly string[];
      /** Items that are left out because the kernel rejected them, or one that they depend on. */
      readonly withheld?: Withheld;
      /** In a mode that rejects packets to bound addresses unless an entry admits them. */
      readonly admission?: Admission;
    }
  | {
      readonly kind: "observed";
      /** Ours and others', with what is in them. */
      readonly sets: readonly IpSet[];
      /** Sets with one of our names, but of a type or with options that we never use. */
      readonly otherSets?: readonly OtherSet[];
      readonly servers: readonly ObservedServer[];
      readonly devices: readonly string[];
      /** Addresses of this family on the mode's interface, each of them alone (`/32`, `/128`). */
      readonly addresses: readonly string[];
    };

/** A kernel setting under /proc/sys: exactly this value, or at least this number. */
export type Sysctl =
  | { readonly path: string; readonly value: string }
  | { readonly path: string; readonly least: number };

/**
 * Everything we own for one family. Wanted: the part that does not depend on Services, and one fragment for each
 * ServicePort, sorted. Observed: `tables` holds all that was found, ours and foreign, and there are no fragments.
 */
export interface KernelState {
  readonly family: Family;
  /** Looked up in the kernel, not worked out. */
  readonly observed?: true;
  /**
   * Observed: the tables that could not be read, with the reason. Of these `tables` holds our fixed chains that exist,
   * without their rules, and our jumps in base chains; nothing else is known.
   */
  readonly unreadable?: ReadonlyMap<TableName, string>;
  readonly tables: ReadonlyMap<TableName, Chains>;
  readonly fragments: PagedList<Fragment>;
  readonly sysctls: readonly Sysctl[];
  /** Names of nfacct counters that rules refer to. */
  readonly counters: readonly string[];
  /** In a mode that has no use for it, absent. */
  readonly ipvs?: IpvsState;
}

/** Is it of the mode that has an interface of its own? Others may have sets. */
export function isIpvsMode({ ipvs }: KernelState): boolean {
  return ipvs !== undefined && ipvs.devices.length > 0;
}

/** Nothing at all: what clean-up wants. */
export function emptyState(family: Family): KernelState {
  return { family, tables: new Map(), fragments: pagedList(), sysctls: [], counters: [] };
}
