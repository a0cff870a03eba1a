// What is left of differences when only some ServicePorts are looked at?
import { changedLines, type Difference, type Edit } from "./difference.ts";

/** Lines of others are as if they stayed as they are; places in which nothing else happens are left out. */
export function selectDifferences(
  differences: readonly Difference[],
  isWanted: (owner: string) => boolean,
): readonly Difference[] {
  return differences
    .map((difference) => ({ ...difference, edits: difference.edits.flatMap((edit) => select(edit, isWanted)) }))
    .filter((difference) => changedLines(difference).length > 0);
}

function select(edit: Edit, isWanted: (owner: string) => boolean): readonly Edit[] {
  if (edit.owner !== undefined && isWanted(edit.owner)) return [edit];
  return edit.kind === "comes" ? [] : [{ ...edit, kind: "stays" }];
}
