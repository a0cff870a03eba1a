// Tells whether the save text of a family is the same as at the previous verification, by its digest.
import { createHash } from "node:crypto";
import type { Family } from "../net/family.ts";

/** Parts that differ from save to save without a change of rules: the date, and counters of built-in chains. */
const VARYING = /^(?:#.*|:\S+ [^-\s]\S* \[\d+:\d+\])$/gm;

/** Comparing digests avoids parsing, which takes a second and a hundred megabytes at 10,000 Services. */
export class SaveWatch {
  readonly #digests = new Map<Family, string>();

  /** Times that a digest was dropped, by family. */
  readonly #drops = new Map<Family, number>();

  /** A number that `drop` changes: unchanged while a save ran, its text is of one known state. */
  drops(family: Family): number {
    return this.#drops.get(family) ?? 0;
  }

  /** Remembers the save text of the tables. */
  remember(family: Family, text: string): void {
    this.#digests.set(family, digestOf(text));
  }

  /** To be called before and after each change that we make, for a save may run at the same time. */
  drop(family: Family): void {
    this.#digests.delete(family);
    this.#drops.set(family, this.drops(family) + 1);
  }

  /** Whether the text has the same rules as the one remembered; false where none is. */
  isSame(family: Family, text: string): boolean {
    return this.#digests.has(family) && this.#digests.get(family) === digestOf(text);
  }
}

function digestOf(text: string): string {
  const hash = createHash("sha256");
  let start = 0;
  for (const { 0: line, index } of text.matchAll(VARYING)) {
    hash.update(text.slice(start, index));
    if (line.startsWith(":")) hash.update(line.slice(0, line.lastIndexOf(" ")));
    start = index + line.length;
  }
  return hash.update(text.slice(start)).digest("hex");
}
