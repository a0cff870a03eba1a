// Compares the verdicts of a table for a packet that matches a rule and for one that does not.

import { evaluateRule } from "../match/evaluate.ts";
import type { MatchResult } from "../match/match-result.ts";
import type { PacketState } from "../packet.ts";
import type { ParsedRule } from "../rule/rule.ts";
import { applyTarget, type Effect } from "./apply-target.ts";
import { type Caller, enterChain, type Frame, parsedRule, type TableVisit } from "./chain.ts";

/**
 * The verdict of a table for a packet, as a number: equal numbers mean equal verdicts. If the verdict is unknown, the
 * number identifies the rule and the packet: two paths that reach them have the same verdict, whatever it is.
 */
type VerdictNumber = number;

/** A packet state, and the number of unknown matches before it. */
interface PendingState {
  readonly state: PacketState;
  readonly depth: number;
}

interface RuleVisit {
  readonly parsed: ParsedRule;
  readonly result: MatchResult;
}

/** After this many unknown matches the verdict counts as unknown. */
const MAX_DEPTH = 300;

/** Computes and caches verdicts in one table at one hook. */
export class TableVerdicts {
  readonly #visit: TableVisit;
  readonly #numbers = new Map<string, VerdictNumber>();
  readonly #known = new Map<string, VerdictNumber>();

  constructor(visit: TableVisit) {
    this.#visit = visit;
  }

  /** Whether the verdict is the same with and without a match of this rule, for a rule that cannot be evaluated. */
  sameVerdictEitherWay(at: Caller, parsed: ParsedRule, state: PacketState): boolean {
    const { frame, index } = at;
    return this.#taken(at, parsed, { state, depth: 0 }) === this.#from(frame, index + 1, state, 0);
  }

  /** The verdict if the rule matches. */
  #taken(at: Caller, parsed: ParsedRule, { state, depth }: PendingState): VerdictNumber {
    return this.#after(at, applyTarget(parsed, state, this.#visit.context), { state, depth });
  }

  #after(at: Caller, effect: Effect, { state, depth }: PendingState): VerdictNumber {
    const { frame, index } = at;
    switch (effect.kind) {
      case "on":
        return this.#from(frame, index + 1, effect.state, depth);
      case "return":
        return this.#from(frame, frame.rules.length, state, depth);
      case "enter": {
        const entered = enterChain(this.#visit, at, effect);
        return typeof entered === "string" ? this.#open(at, state) : this.#from(entered, 0, state, depth);
      }
      case "accept":
        return this.#number(`accepted ${effect.states.map(({ key }) => key).join(" or ")}`);
      case "drop":
        return this.#number("dropped");
      case "reject":
        return this.#number(`rejected ${effect.answer}`);
      case "stop":
        return this.#open(at, state);
    }
  }

  /** The verdict from this rule on. */
  #from(start: Frame, first: number, state: PacketState, depth: number): VerdictNumber {
    const key = `${start.id}@${first}|${state.key}`;
    const fate = this.#known.get(key) ?? this.#find(start, first, state, depth);
    this.#known.set(key, fate);
    return fate;
  }

  #find(start: Frame, first: number, state: PacketState, depth: number): VerdictNumber {
    let [frame, index] = [start, first];
    for (;;) {
      const rule = frame.rules[index];
      if (rule !== undefined) {
        const parsed = parsedRule(rule);
        const result = evaluateRule(parsed, state, this.#visit.context);
        if (result.kind !== "no match") {
          return this.#at({ frame, index }, { parsed, result }, { state, depth: depth + 1 });
        }
        index += 1;
      } else if (frame.caller === undefined) {
        return this.#number(this.#visit.policy === "DROP" ? "dropped" : `accepted ${state.key}`);
      } else {
        index = frame.caller.index + 1;
        frame = frame.caller.frame;
      }
    }
  }

  #at(at: Caller, { parsed, result }: RuleVisit, { state, depth }: PendingState): VerdictNumber {
    if (depth > MAX_DEPTH) return this.#open(at, state);
    const taken = this.#taken(at, parsed, { state, depth });
    if (result.kind === "match") return taken;
    const passed = this.#from(at.frame, at.index + 1, state, depth);
    if (taken === passed) return taken;
    if (result.kind !== "probability") return this.#open(at, state);
    const { top, bottom } = result.probability;
    return this.#number(`${top}/${bottom} ${taken} else ${passed}`);
  }

  #open({ frame, index }: Caller, state: PacketState): VerdictNumber {
    return this.#number(`open ${frame.id}@${index} ${state.key}`);
  }

  #number(fate: string): VerdictNumber {
    const number = this.#numbers.get(fate) ?? this.#numbers.size;
    this.#numbers.set(fate, number);
    return number;
  }
}
