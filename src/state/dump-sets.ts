// Of which family is each set of a dump?
import type { Family } from "../net/family.ts";
import type { IpSet, SetHeader } from "./ip-set.ts";

/** Those that rules of the family can ask: ports alone are of no family, but ours have it in their names. */
export function setsOfFamily(sets: readonly IpSet[], family: Family): readonly IpSet[] {
  return sets.filter((set) => {
    const own = familyOfSet(set);
    return own === undefined || own === family;
  });
}

/** Undefined for a set of somebody else's that has none. */
export function familyOfSet({ name, family }: SetHeader): Family | undefined {
  if (family !== "none") return family === "inet6" ? "IPv6" : "IPv4";
  if (!name.startsWith("KUBE-")) return undefined;
  return name.startsWith("KUBE-6-") ? "IPv6" : "IPv4";
}
