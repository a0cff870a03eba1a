// Names of the ipsets that any of our modes and layouts uses.
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import { type SetHeader, scratchName } from "../state/ip-set.ts";
import { setsOf as setsOfIndexed } from "./indexed/sets.ts";
import { setsOf as setsOfIpvs } from "./ipvs/sets.ts";

/** Names of all sets of a family, with the one that only exists while a set is replaced by one of another size. */
export function ownSetNames(family: Family): readonly string[] {
  return withScratch([...setsOfIpvs(family), ...setsOfIndexed(family)]);
}

/** The same for the Indexed layout alone. */
export function indexedSetNames(family: Family): readonly string[] {
  return withScratch(setsOfIndexed(family));
}

function withScratch(sets: readonly SetHeader[]): readonly string[] {
  const names = sets.map(({ name }) => name);
  return [...names, ...new Set(names.map(scratchName))];
}

/** Those of them that this mode, in this layout, does not have. */
export function foreignSetNames(family: Family, choice: Pick<Options, "mode" | "iptablesLayout">): readonly string[] {
  const own = new Set(setsOf(family, choice).map(({ name }) => name));
  return ownSetNames(family).filter((name) => !own.has(name));
}

function setsOf(
  family: Family,
  { mode, iptablesLayout }: Pick<Options, "mode" | "iptablesLayout">,
): readonly SetHeader[] {
  if (mode === "ipvs") return setsOfIpvs(family);
  return iptablesLayout === "Indexed" ? setsOfIndexed(family) : [];
}
