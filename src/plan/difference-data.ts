// Turns differences into the data that -o json and -o yaml print.
import type { Difference, Edit } from "./difference.ts";
import { groupLines } from "./groups.ts";
import type { Leftover } from "./leftovers/leftovers.ts";
import type { Kept } from "./print-text.ts";

/** One place of one Service; what is not known is left out. */
function placeData({ family, place, change, edits }: Difference, service: string | undefined) {
  return {
    family,
    ...(service !== undefined && { service }),
    ...place,
    change,
    comes: edits.filter(({ kind }) => kind === "comes").map(lineData),
    goes: edits.filter(({ kind }) => kind === "goes").map(lineData),
  };
}

function lineData({ text, owner, reason }: Edit) {
  return { line: text, ...(owner !== undefined && { servicePort: owner }), ...(reason !== undefined && { reason }) };
}

/** Differences cut by Service, in the order of the text. */
export function differenceData(
  differences: readonly Difference[],
  kept: readonly Kept[],
  leftovers: readonly Leftover[],
) {
  return {
    differs: differences.length > 0,
    differences: groupLines(differences).flatMap((group) =>
      group.differences.map((difference) => placeData(difference, group.service)),
    ),
    kept: kept.map((each) => ({ ...each })),
    leftovers: leftovers.map((each) => ({ ...each })),
  };
}
