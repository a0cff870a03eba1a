// Names the parts of the kernel state that a dump may show or lack.
import type { Family } from "../net/family.ts";
import type { TableName } from "./kernel-state.ts";

export type DumpPart = "tables" | "sets" | "servers" | "addresses" | "sysctls" | "counters";

/** All that IPVS mode and iptables mode have in a kernel. */
export const DUMP_PARTS: readonly DumpPart[] = ["tables", "sets", "servers", "addresses", "sysctls", "counters"];

/** A statement of the dump itself that it is incomplete. */
export interface DumpGap {
  /** Undefined: the text does not say which. */
  readonly family: Family | undefined;
  /**
   * - `truncated`: the table has no COMMIT; none of its rules are used.
   * - `incompatible`: iptables-nft warns that the table holds chains which only nft(8) lists.
   * - `legacy`, `nft`: the other backend of iptables has tables, too.
   */
  readonly kind: "truncated" | "incompatible" | "legacy" | "nft";
  /** Of `truncated` and `incompatible`. */
  readonly table?: string;
  /** One-based line of the dump. */
  readonly line: number;
}

/** A part of the kernel state that is not known. */
export interface MissingPart {
  /** `servers`: the virtual servers of IPVS. `tables`: all tables of the family, or those of the other backend. */
  readonly part: TableName | "tables" | "servers";
  readonly family: Family;
  /** For example `no filter table in the dump`. */
  readonly reason: string;
  /** For example `add the output of "iptables-save -t filter" (--rules FILE)`. */
  readonly remedy: string;
}
