// A change to the kernel as data: steps in order.
import type { Family } from "../net/family.ts";
import type { SetHeader } from "../state/ip-set.ts";
import type { TableName } from "../state/kernel-state.ts";
import type { Retirement, ServerChange } from "../state/server-change.ts";
import type { SetChange } from "../state/set-change.ts";

/** What happens to one table, in this order, in one transaction. All lines are in restore syntax. */
export interface TableChange {
  readonly table: TableName;
  /** Chains that are made, or emptied where they exist; sorted, since old tools take quadratic time otherwise. */
  readonly clear: readonly string[];
  /**
   * Rules taken out (`-D`), put in (`-I`), replaced (`-R`) and appended (`-A`). May be written out anew each time it is
   * gone through.
   */
  readonly rules: Iterable<string>;
  /** Chains that go, emptied before. */
  readonly remove: readonly string[];
}

/** One step of a plan. */
export type Step =
  | { readonly kind: "sysctl"; readonly path: string; readonly value: string }
  | { readonly kind: "counter"; readonly name: string }
  | { readonly kind: "iptables"; readonly family: Family; readonly changes: readonly TableChange[] }
  | IpvsStep;

/** What IPVS mode does beside tables. */
export type IpvsStep =
  /** An interface that is there afterwards, or is not. */
  | { readonly kind: "device" | "remove-device"; readonly name: string }
  /** `meanwhile`: may be under way while the steps behind it are, up to the last restore, which waits for it. */
  | { readonly kind: "sets"; readonly changes: readonly SetChange[]; readonly meanwhile?: true }
  | { readonly kind: "servers"; readonly changes: readonly ServerChange[] }
  /** Weight 0, and gone where there is no connection. `again`: they had weight 0 before, it is time to look once more. */
  | { readonly kind: "retire"; readonly reals: readonly Retirement[]; readonly again: boolean }
  | { readonly kind: "bind" | "unbind"; readonly device: string; readonly addresses: readonly string[] };

/** A chain of ours that stays, empty, because somebody else's rule leads into it. */
export interface KeptChain {
  readonly table: TableName;
  readonly chain: string;
  /** The rule that leads into it. */
  readonly rule: string;
}

/** An ipset that exists under a desired name but with another type, family or options. */
export interface SetConflict {
  /** The desired one. */
  readonly set: SetHeader;
  /** The differences. */
  readonly words: string;
}

/** The steps from what is to what is wanted, in order: what is added comes before what is removed. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly kept: readonly KeptChain[];
  /** Sets because of which no step may be carried out; absent without any. */
  readonly conflicts?: readonly SetConflict[];
  /** Found at rest, with weight 0 and connections: somebody must look again, when those have ended. */
  readonly draining?: readonly Retirement[];
}
