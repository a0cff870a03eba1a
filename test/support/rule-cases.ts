// How is a table of rules, each with what it is to be read as, tried?
import t from "tap";
import type { Match } from "../../src/trace/rule/matches.ts";
import { parseRule } from "../../src/trace/rule/rule.ts";
import type { Target } from "../../src/trace/rule/targets.ts";

/** What the rule says, behind `-A CHAIN`, and its matches. */
export type MatchCase = readonly [text: string, ...matches: readonly Match[]];

/** The same of a rule that is only a target. */
export type TargetCase = readonly [text: string, target: Target];

export function tryMatches(cases: readonly MatchCase[]): void {
  for (const [text, ...matches] of cases) {
    t.test(text, async (t) => {
      t.strictSame(parseRule(`-A X ${text}`).matches, matches);
    });
  }
}

export function tryTargets(cases: readonly TargetCase[]): void {
  for (const [text, target] of cases) {
    t.test(text, async (t) => {
      t.strictSame(parseRule(`-A X ${text}`), { chain: "X", matches: [], target });
    });
  }
}

/** Rules of one match or target each, which is not understood and stands in the rule with all of its text. */
export function tryUnknown(texts: readonly string[]): void {
  for (const text of texts) {
    t.test(`not understood: ${text}`, async (t) => {
      const { matches, target } = parseRule(`-A X ${text}`);
      const unknown = { kind: "unknown", text };
      t.strictSame(text.startsWith("-m") ? matches : [target], [unknown]);
    });
  }
}
