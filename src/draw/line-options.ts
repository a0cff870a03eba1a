// Splits the line of a rule into its options.
import { splitWords } from "../trace/rule/split.ts";

export interface LineOption {
  readonly not: boolean;
  /** The words behind it, without quotation marks. */
  readonly values: readonly string[];
}

/** A line in save form, as far as pictures ask. */
export interface LineOptions {
  /** What the rule asks for, by name; where an option stands twice, as none of ours does, the last one counts. */
  readonly matches: ReadonlyMap<string, LineOption>;
  /** Target or chain, and the words behind it. */
  readonly target: readonly string[];
}

/** Reads one line. Throws RuleSyntaxError for a quotation that does not end. */
export function readOptions(line: string): LineOptions {
  const words = splitWords(line);
  const jump = words.findIndex(({ text, bare }) => bare && (text === "-j" || text === "-g"));
  const matches = new Map<string, { not: boolean; values: string[] }>();
  let open: string[] = [];
  let not = false;
  for (const { text, bare } of jump < 0 ? words : words.slice(0, jump)) {
    if (bare && text === "!") not = true;
    else if (bare && text.startsWith("-")) {
      open = [];
      matches.set(text, { not, values: open });
      not = false;
    } else open.push(text);
  }
  return { matches, target: jump < 0 ? [] : words.slice(jump + 1).map(({ text }) => text) };
}
