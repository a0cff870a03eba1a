// What is different in one place of the kernel, line by line?
import type { Family } from "../net/family.ts";
import type { TableName } from "../state/kernel-state.ts";

/** A line as the place's own tool prints it. */
export interface Line {
  readonly text: string;
  /** The ServicePort that it is there for, as `shop/cart:http`, where it is there for one. */
  readonly owner?: string | undefined;
  /** Why it is there, for a rule of ours. */
  readonly reason?: string | undefined;
}

/** What becomes of a line. */
export interface Edit extends Line {
  readonly kind: "stays" | "comes" | "goes";
}

/** Something in the kernel that holds lines, in order. */
export type Place =
  | { readonly kind: "chain"; readonly table: TableName; readonly name: string }
  | { readonly kind: "set" | "server" | "device"; readonly name: string }
  | { readonly kind: "sysctls" | "counters" };

/** A place that is not as it should be, with all of its lines. */
export interface Difference {
  readonly family: Family;
  readonly place: Place;
  /** Of the place itself. A new one may have no line. */
  readonly change: "new" | "gone" | "changed";
  readonly edits: readonly Edit[];
}

/** What a place is called: `nat KUBE-SERVICES`, `ipset KUBE-CLUSTER-IP`, `ipvs 10.96.0.1:443/TCP`. */
export function printPlace(place: Place): string {
  switch (place.kind) {
    case "chain":
      return `${place.table} ${place.name}`;
    case "set":
      return `ipset ${place.name}`;
    case "server":
      return `ipvs ${place.name}`;
    case "device":
      return `addresses ${place.name}`;
    case "sysctls":
      return "sysctl";
    case "counters":
      return "nfacct";
  }
}

/** The Service of a ServicePort: `shop/cart` of `shop/cart:http`. */
export function serviceOf(owner: string): string {
  return owner.replace(/:.*$/, "");
}

/** Lines that do not stay. */
export function changedLines({ edits }: Difference): readonly Edit[] {
  return edits.filter(({ kind }) => kind !== "stays");
}
