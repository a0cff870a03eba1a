// Compares the verdicts of a table for a packet that matches a rule and for one that does not.

import { judgeRule } from "../match/evaluate.ts";
import type { Judgement } from "../match/match-result.ts";
import type { PacketState } from "../packet.ts";
import type { ParsedRule } from "../rule/rule.ts";
import { type Effect, effectOf } from "./apply-target.ts";
import { type Caller, enterChain, type Frame, parsedRule, type TableVisit } from "./chain.ts";

/**
 * What a table will have done with a packet, as a number: equal numbers, equal fates. Where it is not known either, the
 * number stands for that very place and packet: two ways that meet there have the same fate, whatever it is.
 */
type Fate = number;

/** A packet, and how many open questions there were before it. */
interface Deep {
  readonly state: PacketState;
  readonly depth: number;
}

interface Met {
  readonly parsed: ParsedRule;
  readonly judgement: Judgement;
}

/** So deep in open questions a fate counts as unknown. */
const DEEPEST = 300;

/** Fates in one table at one hook. What was found out once is remembered. */
export class Fates {
  readonly #visit: TableVisit;
  readonly #numbers = new Map<string, Fate>();
  readonly #known = new Map<string, Fate>();

  constructor(visit: TableVisit) {
    this.#visit = visit;
  }

  /** Asked of a rule that cannot be judged: is the packet's fate the same, be the rule for it or not? */
  makesNoDifference(at: Caller, parsed: ParsedRule, state: PacketState): boolean {
    const { frame, index } = at;
    return this.#taken(at, parsed, { state, depth: 0 }) === this.#from(frame, index + 1, state, 0);
  }

  /** The rule is for the packet. */
  #taken(at: Caller, parsed: ParsedRule, { state, depth }: Deep): Fate {
    return this.#after(at, effectOf(parsed, state, this.#visit.situation), { state, depth });
  }

  #after(at: Caller, effect: Effect, { state, depth }: Deep): Fate {
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

  /** From this rule on. */
  #from(start: Frame, first: number, state: PacketState, depth: number): Fate {
    const key = `${start.id}@${first}|${state.key}`;
    const fate = this.#known.get(key) ?? this.#find(start, first, state, depth);
    this.#known.set(key, fate);
    return fate;
  }

  #find(start: Frame, first: number, state: PacketState, depth: number): Fate {
    let [frame, index] = [start, first];
    for (;;) {
      const rule = frame.rules[index];
      if (rule !== undefined) {
        const parsed = parsedRule(rule);
        const judgement = judgeRule(parsed, state, this.#visit.situation);
        if (judgement.kind !== "fails") {
          return this.#at({ frame, index }, { parsed, judgement }, { state, depth: depth + 1 });
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

  #at(at: Caller, { parsed, judgement }: Met, { state, depth }: Deep): Fate {
    if (depth > DEEPEST) return this.#open(at, state);
    const taken = this.#taken(at, parsed, { state, depth });
    if (judgement.kind === "holds") return taken;
    const passed = this.#from(at.frame, at.index + 1, state, depth);
    if (taken === passed) return taken;
    if (judgement.kind !== "chance") return this.#open(at, state);
    const { top, bottom } = judgement.share;
    return this.#number(`${top}/${bottom} ${taken} else ${passed}`);
  }

  #open({ frame, index }: Caller, state: PacketState): Fate {
    return this.#number(`open ${frame.id}@${index} ${state.key}`);
  }

  #number(fate: string): Fate {
    const number = this.#numbers.get(fate) ?? this.#numbers.size;
    this.#numbers.set(fate, number);
    return number;
  }
}
