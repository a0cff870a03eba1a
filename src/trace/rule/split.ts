// Splits a rule in iptables-save syntax into words and options.
import { RuleSyntaxError } from "../../errors.ts";

export interface Word {
  /** Without quotation marks and what escapes them. */
  readonly text: string;
  /** Not quoted and not free text, so that it may be an option or a `!`. */
  readonly bare: boolean;
  /** Where in the line it stands. */
  readonly start: number;
  readonly end: number;
}

/** Blanks part words unless quoted; a quotation mark that nothing closes is found as a word of its own. */
const WORD = /([^ \t\n"]*)"((?:[^"\\]|\\.)*)"|[^ \t\n"]+|"/gs;

/** Options with a text of anybody's choice, which iptables quotes only where it must: `--comment -j` is a comment. */
const FREE_TEXT: ReadonlySet<string> = new Set([
  "--comment",
  "--log-prefix",
  "--nflog-prefix",
  "--ulog-prefix",
  "--string",
  "--hex-string",
  "--name",
  "--nfacct-name",
  "--hashlimit-name",
  "--helper",
]);

/** Splits as iptables-restore does. Throws RuleSyntaxError for a quotation that does not end. */
export function splitWords(line: string): readonly Word[] {
  const words: Word[] = [];
  for (const found of line.matchAll(WORD)) {
    const [whole, before = "", quoted] = found;
    if (whole === '"') throw new RuleSyntaxError(1, line, "a quotation does not end");
    const last = words.at(-1);
    words.push({
      text: quoted === undefined ? whole : before + quoted.replace(/\\(.)/gs, "$1"),
      bare: quoted === undefined && !(last?.bare && FREE_TEXT.has(last.text)),
      start: found.index,
      end: found.index + whole.length,
    });
  }
  return words;
}

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
