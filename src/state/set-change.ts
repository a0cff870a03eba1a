// What can be done to sets?
import type { SetHeader } from "./ip-set.ts";

/**
 * One change. A set or an entry that is there already, or gone already, is as good; a set of the same name that is made
 * otherwise is not. Entries are in the form of `IpSet`.
 */
export type SetChange =
  | { readonly kind: "create"; readonly set: SetHeader }
  | { readonly kind: "destroy"; readonly name: string }
  /** Two sets of one type change names, and the rules see it at once. */
  | { readonly kind: "swap"; readonly name: string; readonly other: string }
  | { readonly kind: "add" | "remove"; readonly set: SetHeader; readonly entries: Iterable<string> };
