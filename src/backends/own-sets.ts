// Which sets has any mode or layout of ours, so that what another one left can be told from what somebody else has?
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import type { SetHeader } from "../state/ip-set.ts";
import { setsOf as setsOfIndexed } from "./indexed/sets.ts";
import { setsOf as setsOfIpvs } from "./ipvs/sets.ts";

/** Names of all sets of a family. */
export function ownSetNames(family: Family): readonly string[] {
  return [...setsOfIpvs(family), ...setsOfIndexed(family)].map(({ name }) => name);
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
