// How do all possibilities for a packet go their ways at once, and come together again?
import { type Fraction, plus } from "./fraction.ts";
import type { PacketState } from "./packet-state.ts";
import type { RulePlace, ServerPlace, Step } from "./trace.ts";

/** What the rest of the way does not depend on, and yet is to be told at its end. */
export interface Reasons {
  /** The rule that the mark was set for. */
  readonly marked?: RulePlace;
  /** The same, from when the mark was looked at and taken off again. */
  readonly asked?: RulePlace;
  readonly translated?: RulePlace | ServerPlace;
  readonly masqueraded?: readonly RulePlace[];
}

/** One possibility. */
export interface Branch {
  readonly state: PacketState;
  readonly share: Fraction;
  readonly possible: boolean;
  /** The steps that led here last. */
  readonly before: readonly Step[];
  readonly reasons: Reasons;
}

/** Possibilities at one place. Those that have the same future are one. */
export class Branches implements Iterable<Branch> {
  readonly #byState = new Map<string, Branch>();

  constructor(branches: Iterable<Branch> = []) {
    for (const branch of branches) this.add(branch);
  }

  get size(): number {
    return this.#byState.size;
  }

  /** Reasons are those of the first that came. */
  add(branch: Branch): void {
    const { key } = branch.state;
    const other = this.#byState.get(key);
    this.#byState.set(key, other ? joined(other, branch) : branch);
  }

  remove({ state }: Branch): void {
    this.#byState.delete(state.key);
  }

  [Symbol.iterator](): Iterator<Branch> {
    return this.#byState.values();
  }
}

function joined(one: Branch, other: Branch): Branch {
  return {
    ...one,
    share: plus(one.share, other.share),
    possible: one.possible || other.possible,
    before: joinedSteps(one.before, other.before),
  };
}

/** Each step once. */
export function joinedSteps(one: readonly Step[], other: readonly Step[]): readonly Step[] {
  return [...new Set([...one, ...other])];
}
