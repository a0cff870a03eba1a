// How does a template text become rules?
import { RuleSyntaxError } from "../errors.ts";
import type { Origin, Rule } from "../state/kernel-state.ts";
import { isWord, WORDS, type Word, type Words } from "./words.ts";

/** Fills one named rule of a template. Throws a RangeError where words and rule do not fit: that is a fault of ours. */
export type Fill = (heading: string, words?: Words) => Rule;

/** One template file: its rules by heading, in file order. */
export interface Template {
  readonly fill: Fill;
  readonly headings: readonly string[];
}

/** Template texts by name (`nat/KUBE-SEP`), as they stand in one mode's folder of `rules-templates`. */
export type TemplateTexts = ReadonlyMap<string, string>;

interface Pattern {
  readonly origin: Origin;
  /** Literal text before each word and behind the last; between them, the text that was filled in last. */
  readonly pieces: string[];
  readonly words: readonly Word[];
  readonly distinct: number;
}

const HEADING = /^## ([a-z][a-z0-9-]*): (\S.*)$/;

/** Reads one template text. Throws RuleSyntaxError for a line that is no heading, rule or comment of the right shape. */
export function readTemplate(name: string, text: string): Template {
  const patterns = new Map<string, Pattern>();
  let open: Origin | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (line.startsWith("-A ")) {
      if (!open) throw new RuleSyntaxError(index + 1, line, `${name}: a rule without a heading of its own`);
      patterns.set(open.heading, readPattern(open, line, index + 1));
      open = undefined;
    } else if (line.startsWith("## ")) {
      open = readHeading(name, line, index + 1);
      if (patterns.has(open.heading)) throw new RuleSyntaxError(index + 1, line, `${name}: heading used twice`);
    } else if (line !== "" && !line.startsWith("# ")) {
      throw new RuleSyntaxError(index + 1, line, `${name}: neither a heading nor a rule`);
    }
  }
  if (open) throw new RuleSyntaxError(text.split("\n").length, open.heading, `${name}: heading without a rule`);
  return {
    headings: [...patterns.keys()],
    fill: (heading, words = {}) => fillRule(name, patterns.get(heading), words),
  };
}

function readHeading(template: string, line: string, number: number): Origin {
  const [, heading, reason] = HEADING.exec(line) ?? [];
  if (heading === undefined || reason === undefined) {
    throw new RuleSyntaxError(number, line, `${template}: a heading is "## name: reason"`);
  }
  return { template, heading, reason };
}

function readPattern(origin: Origin, line: string, number: number): Pattern {
  const parts = line.split(/\{([^{}]*)\}/);
  const pieces = parts.map((part, index) => (index % 2 === 0 ? part : ""));
  const words = parts
    .filter((_, index) => index % 2 === 1)
    .map((word) => {
      if (isWord(word)) return word;
      throw new RuleSyntaxError(number, line, `${origin.template}: unknown word {${word}}`);
    });
  return { origin, pieces, words, distinct: new Set(words).size };
}

function fillRule(template: string, pattern: Pattern | undefined, words: Words): Rule {
  if (!pattern) throw new RangeError(`${template}: no such heading`);
  const { origin, pieces } = pattern;
  let place = 1;
  for (const word of pattern.words) {
    const value = words[word];
    if (value === undefined) throw new RangeError(`${template} ${origin.heading}: word {${word}} is missing`);
    if (value !== checked[word]) check(word, value, origin);
    pieces[place] = value;
    place += 2;
  }
  let given = 0;
  for (const _ in words) given++;
  if (given > pattern.distinct) {
    throw new RangeError(`${template} ${origin.heading}: a word too many among ${Object.keys(words).join(", ")}`);
  }
  // Joined, not added up piece by piece: the text is flat at once, and there are hundreds of thousands of them.
  return { line: pieces.join(""), origin };
}

/** The newest good value of each word: the rules of a Service repeat most of theirs. */
const checked: Words = {};

function check(word: Word, value: string, { template, heading }: Origin): void {
  if (!WORDS[word].test(value)) {
    throw new RangeError(`${template} ${heading}: ${JSON.stringify(value)} cannot stand for {${word}}`);
  }
  checked[word] = value;
}
