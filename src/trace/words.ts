// Which words does a line of save text consist of?
import { RuleSyntaxError } from "../errors.ts";

export interface Word {
  /** Without quotation marks and what escapes them. */
  readonly text: string;
  /** Not quoted and nobody's free text, so that it may be an option or a `!`. */
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
