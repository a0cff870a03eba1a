// Do the tables of a family read as they did, without anybody going through them?
import { createHash } from "node:crypto";
import type { Family } from "../net/family.ts";

/** What differs from save to save though no rule does: when it was made, and the counters of built-in chains. */
const VARYING = /^(?:#.*|:\S+ [^-\s]\S* \[\d+:\d+\])$/gm;

/** iptables-legacy tells nobody of changes, and to read ten thousand Services takes a second and a hundred megabytes. */
export class SaveWatch {
  readonly #digests = new Map<Family, string>();

  /** The tables were looked at, and this is their save text. */
  saw(family: Family, text: string): void {
    this.#digests.set(family, digestOf(text));
  }

  /** We change them. */
  ours(family: Family): void {
    this.#digests.delete(family);
  }

  /** Were they seen with the same rules, and not changed by us since? */
  knows(family: Family): boolean {
    return this.#digests.has(family);
  }

  isSame(family: Family, text: string): boolean {
    return this.#digests.get(family) === digestOf(text);
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
