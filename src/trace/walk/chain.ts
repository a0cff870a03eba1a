// Enters the chains of a table and remembers where a packet returns to.
import type { Chains, Rule } from "../../state/kernel-state.ts";
import type { HookContext } from "../match/context.ts";
import { type ParsedRule, parseRule } from "../rule/rule.ts";
import type { Policy } from "../ruleset.ts";
import type { RuleLocation } from "../trace.ts";

/** A chain that is being walked. */
export interface Frame {
  readonly chain: string;
  readonly rules: readonly Rule[];
  /** Absent for a built-in chain. */
  readonly caller?: Caller;
  readonly depth: number;
  /** Identifies the path of jumps into the chain. */
  readonly id: string;
}

/** The rule that jumped here; the walk continues after it. */
export interface Caller {
  readonly frame: Frame;
  readonly index: number;
}

/** One table at one hook. */
export interface TableVisit {
  readonly context: HookContext;
  readonly chains: Chains;
  readonly policy: Policy;
}

/** The kernel rejects loops of jumps, but a dump may contain one. */
const MAX_DEPTH = 64;

/** Undefined where the table has no such chain. */
export function enterHook({ context, chains }: TableVisit): Frame | undefined {
  const chain = chains.get(context.hook);
  return chain && { chain: chain.name, rules: chain.rules, depth: 0, id: chain.name };
}

/**
 * The frame of the chain that a rule jumps to, or the reason why there is none. A goto returns to the caller's caller.
 */
export function enterChain(
  { chains }: TableVisit,
  { frame, index }: Caller,
  { chain: name, back }: { readonly chain: string; readonly back: boolean },
): Frame | string {
  const chain = chains.get(name);
  if (chain === undefined) return `jumps to ${name}, which is neither a chain of the dump nor a known target`;
  if (frame.depth >= MAX_DEPTH) return "jumps deeper than the kernel allows: the chains form a loop";
  const caller = back ? { frame, index } : frame.caller;
  const id = `${frame.id}:${index}${back ? ">" : "="}${name}`;
  return { chain: name, rules: chain.rules, depth: frame.depth + 1, id, ...(caller ? { caller } : {}) };
}

export function locationOf({ context }: TableVisit, { frame, index }: Caller, rule: Rule): RuleLocation {
  const { hook, table } = context;
  return { hook, table, chain: frame.chain, rule, number: index + 1 };
}

const PARSED = new WeakMap<Rule, ParsedRule>();

/** Parses each rule once. A rule that cannot be parsed has an unsupported match and target. */
export function parsedRule(rule: Rule): ParsedRule {
  const parsed = PARSED.get(rule) ?? parseOrUnknown(rule.line);
  PARSED.set(rule, parsed);
  return parsed;
}

function parseOrUnknown(line: string): ParsedRule {
  try {
    return parseRule(line);
  } catch {
    return { chain: "", matches: [{ kind: "unknown", text: line }], target: { kind: "unknown", text: line } };
  }
}
