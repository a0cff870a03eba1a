// Enters the chains of a table and remembers where a packet returns to.
import type { Chains, Rule } from "../../state/kernel-state.ts";
import type { Situation } from "../match/context.ts";
import { type ParsedRule, parseRule } from "../rule/rule.ts";
import type { Policy } from "../ruleset.ts";
import type { RulePlace } from "../trace.ts";

/** A chain that is being gone through. */
export interface Frame {
  readonly chain: string;
  readonly rules: readonly Rule[];
  /** Absent: a built-in chain, met at its hook. */
  readonly caller?: Caller;
  readonly depth: number;
  /** Tells apart the ways to get into the chain. */
  readonly id: string;
}

/** The rule that led here, and by which one comes back behind it. */
export interface Caller {
  readonly frame: Frame;
  readonly index: number;
}

/** One table at one hook. */
export interface TableVisit {
  readonly situation: Situation;
  readonly chains: Chains;
  readonly policy: Policy;
}

/** The kernel refuses rings of jumps, but a text may have one. */
const DEEPEST = 64;

/** Undefined where the table has no such chain. */
export function enterHook({ situation, chains }: TableVisit): Frame | undefined {
  const chain = chains.get(situation.hook);
  return chain && { chain: chain.name, rules: chain.rules, depth: 0, id: chain.name };
}

/** The frame of a chain that a rule leads to, or the reason why there is none. From a goto one comes back further up. */
export function enterChain(
  { chains }: TableVisit,
  { frame, index }: Caller,
  { chain: name, back }: { readonly chain: string; readonly back: boolean },
): Frame | string {
  const chain = chains.get(name);
  if (chain === undefined) return `leads to ${name}, which is neither a chain of the dump nor a target that is known`;
  if (frame.depth >= DEEPEST) return "leads deeper than the kernel goes: chains jump in a ring";
  const caller = back ? { frame, index } : frame.caller;
  const id = `${frame.id}:${index}${back ? ">" : "="}${name}`;
  return { chain: name, rules: chain.rules, depth: frame.depth + 1, id, ...(caller ? { caller } : {}) };
}

export function placeOf({ situation }: TableVisit, { frame, index }: Caller, rule: Rule): RulePlace {
  const { hook, table } = situation;
  return { hook, table, chain: frame.chain, rule, number: index + 1 };
}

const PARSED = new WeakMap<Rule, ParsedRule>();

/** Each rule is read once, when a packet comes to it first. One that cannot be read asks for nobody knows what. */
export function parsedRule(rule: Rule): ParsedRule {
  const parsed = PARSED.get(rule) ?? readRule(rule.line);
  PARSED.set(rule, parsed);
  return parsed;
}

function readRule(line: string): ParsedRule {
  try {
    return parseRule(line);
  } catch {
    return { chain: "", matches: [{ kind: "unknown", text: line }], target: { kind: "unknown", text: line } };
  }
}
