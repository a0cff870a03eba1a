// Which options stand behind a match or a target, with which values?
import type { Match } from "./match-kinds.ts";
import type { Target } from "./target-kinds.ts";
import type { Word } from "./words.ts";

/** `! --dport 80`: name, values, and whether it is turned round. */
export interface RuleOption {
  readonly name: string;
  readonly values: readonly string[];
  readonly not: boolean;
}

/** Undefined where something is not understood. `text` is the whole as the rule has it. */
export type MatchReader = (options: readonly RuleOption[], text: string) => readonly Match[] | undefined;

/** Likewise, `-j` in front. */
export type TargetReader = (options: readonly RuleOption[], text: string) => Target | undefined;

/** Undefined for words that belong to no option, and for a `!` before none. */
export function readRuleOptions(words: readonly Word[]): readonly RuleOption[] | undefined {
  const options: { name: string; values: string[]; not: boolean }[] = [];
  let not = false;
  for (const { text, bare } of words) {
    const current = options.at(-1);
    if (bare && text === "!" && !not) {
      not = true;
    } else if (bare && text.startsWith("--")) {
      options.push({ name: text, values: [], not });
      not = false;
    } else if (current && !not) {
      current.values.push(text);
    } else {
      return undefined;
    }
  }
  return not ? undefined : options;
}

/** A reader of matches in which each option is a question of its own. */
export function eachOption(
  readers: ReadonlyMap<string, (value: string, option: RuleOption) => Match | undefined>,
): MatchReader {
  return (options) => {
    const matches: Match[] = [];
    for (const option of options) {
      const match = readers.get(option.name)?.(option.values[0] ?? "", option);
      if (match === undefined || option.values.length > 1) return undefined;
      matches.push(match);
    }
    return matches;
  };
}

/** Options by name. Undefined where one stands there twice, is turned round, has too many values, or is none of these. */
export function plainOptions(
  options: readonly RuleOption[],
  known: readonly string[],
): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  for (const { name, values, not } of options) {
    if (not || values.length > 1 || found.has(name) || !known.includes(name)) return undefined;
    found.set(name, values[0] ?? "");
  }
  return found;
}

/** A list of words parted by commas, all of them known. */
export function readWordList<T extends string>(text: string, known: readonly T[]): ReadonlySet<T> | undefined {
  const found = new Set<T>();
  for (const each of text.split(",")) {
    const word = known.find((one) => one === each);
    if (word === undefined) return undefined;
    found.add(word);
  }
  return found;
}
