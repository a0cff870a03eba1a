// Where in a rule does each match begin and end, and each thing that it asks beside them?
import { RuleSyntaxError } from "../errors.ts";
import { splitWords, type Word } from "./words.ts";

/** One option of iptables itself (`-s`, `-m`, `-j` …) with all that belongs to it. */
export interface RulePart {
  /** In its short spelling. */
  readonly flag: string;
  readonly not: boolean;
  /** The first word behind it; empty if there is none. */
  readonly value: string;
  /** Those behind that. */
  readonly words: readonly Word[];
  /** All of it as the line has it. */
  readonly text: string;
}

/** iptables' own options by every spelling. Those of matches and targets begin with two dashes and are others. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ["-p", "-p"],
  ["--protocol", "-p"],
  ["-s", "-s"],
  ["--source", "-s"],
  ["-d", "-d"],
  ["--destination", "-d"],
  ["-i", "-i"],
  ["--in-interface", "-i"],
  ["-o", "-o"],
  ["--out-interface", "-o"],
  ["-f", "-f"],
  ["--fragment", "-f"],
  ["-m", "-m"],
  ["--match", "-m"],
  ["-j", "-j"],
  ["--jump", "-j"],
  ["-g", "-g"],
  ["--goto", "-g"],
]);

/** Throws RuleSyntaxError for what does not begin with `-A CHAIN`, and for a quotation that does not end. */
export function splitParts(line: string): { readonly chain: string; readonly parts: readonly RulePart[] } {
  const [command, chain, ...words] = splitWords(line);
  if (command?.text !== "-A" || chain === undefined || /^[-!]/.test(chain.text))
    throw new RuleSyntaxError(1, line, "not a rule of a chain");
  const starts = words.flatMap((word, index) => {
    if (!isFlag(word)) return [];
    return [isNot(words[index - 1]) ? index - 1 : index];
  });
  // What stands before the first flag belongs to none.
  if (words.length > 0 && starts[0] !== 0) starts.unshift(0);
  const parts = starts.map((start, index) => makePart(line, words.slice(start, starts[index + 1])));
  return { chain: chain.text, parts };
}

function makePart(line: string, words: readonly Word[]): RulePart {
  const not = isNot(words[0]);
  const [flag, value, ...rest] = not ? words.slice(1) : words;
  return {
    flag: flag?.bare ? (FLAGS.get(flag.text) ?? "") : "",
    not,
    value: value?.text ?? "",
    words: rest,
    text: line.slice(words[0]?.start, words.at(-1)?.end),
  };
}

function isFlag(word: Word): boolean {
  return word.bare && FLAGS.has(word.text);
}

function isNot(word: Word | undefined): boolean {
  return word?.bare === true && word.text === "!";
}
