// How do differences read, grouped by Service?
import type { Family } from "../net/family.ts";
import { type Difference, printPlace } from "./difference.ts";
import { type Group, groupLines } from "./groups.ts";
import type { KeptChain } from "./plan.ts";

/** A chain that stays against our wish, and of which family it is. */
export interface Kept extends KeptChain {
  readonly family: Family;
}

/**
 * A heading for each Service of a family, the name of each place, and below it `+` for each line that comes, `-` for
 * each that goes; `!` for what stays against our wish.
 */
export function* printText(differences: readonly Difference[], kept: readonly Kept[]): Iterable<string> {
  let first = true;
  for (const { family, service, differences: own } of withKept(groupLines(differences), kept)) {
    if (!first) yield "";
    first = false;
    yield printHeading({ family, service });
    for (const difference of own) yield* printPlaceLines(difference);
    if (service !== undefined) continue;
    for (const each of kept.filter((one) => one.family === family)) {
      yield `! ${printKept(each)}`;
    }
  }
}

/** Why it stays. */
export function printKept({ table, chain, rule }: Kept): string {
  return `${table} ${chain} stays, empty, because of: ${rule}`;
}

/** `# IPv4`, `# IPv4 Service shop/cart`. */
export function printHeading({ family, service }: Pick<Group, "family" | "service">): string {
  return service === undefined ? `# ${family}` : `# ${family} Service ${service}`;
}

/** What stays stands below the family's own heading, and may be all that there is. */
function withKept(groups: readonly Group[], kept: readonly Kept[]): readonly Group[] {
  const missing = new Set(kept.map(({ family }) => family));
  for (const { family, service } of groups) if (service === undefined) missing.delete(family);
  const bare = [...missing].map((family): Group => ({ family, service: undefined, differences: [] }));
  return [...bare, ...groups].sort(({ family: a }, { family: b }) => (a === b ? 0 : a < b ? -1 : 1));
}

const SIGNS = { comes: "+", goes: "-", stays: " " } as const;

function* printPlaceLines({ place, change, edits }: Difference): Iterable<string> {
  yield change === "changed" ? printPlace(place) : `${printPlace(place)} (${change})`;
  for (const { kind, text } of edits) yield `${SIGNS[kind]} ${text}`;
}
