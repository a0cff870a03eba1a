// Whose rules does the kernel refuse?
import type { KernelError } from "../errors.ts";
import { type Fragment, type KernelState, TABLES } from "../state/kernel-state.ts";
import type { PassResult } from "./pass.ts";

/** A fragment that the kernel does not take, and what it said. */
export interface Culprit {
  readonly fragment: Fragment;
  readonly error: KernelError;
}

/** Tries to make the kernel hold a state. */
export type Attempt = (wanted: KernelState) => Promise<PassResult>;

/** What the search came to. */
export interface Verdict {
  /** None where no fragment is to blame: then `result` has the refusal. */
  readonly culprits: readonly Culprit[];
  /** Of the last attempt. */
  readonly result: PassResult;
  /** What the kernel holds, where that attempt went well. */
  readonly held: KernelState;
}

/** A state with some of its fragments held back: as they were when the kernel last took them, or left out. */
export type HoldBack = (fragments: readonly Fragment[]) => KernelState;

/**
 * Finds the fragments that make the kernel refuse: the one whose line the tool names, else by halves, so that one among
 * n costs about log2(n) attempts. All others are in the kernel afterwards. Suspects are those that changed since the
 * kernel last took everything; they are held back first, so that the rest is not kept waiting.
 */
export async function findCulprits(
  suspects: readonly Fragment[],
  refusal: KernelError,
  holdBack: HoldBack,
  attempt: Attempt,
): Promise<Verdict> {
  const named = namedIn(refusal, suspects);
  const culprits: Culprit[] = named ? [{ fragment: named, error: refusal }] : [];
  const withheld = () => culprits.map(({ fragment }) => fragment);
  if (named) {
    const held = holdBack([named]);
    const result = await attempt(held);
    if (!result.applied.refused) return { culprits, result, held };
    culprits.length = 0;
  }
  let held = holdBack(suspects);
  let result = await attempt(held);
  if (result.applied.refused) return { culprits, result, held };
  const split = async (some: readonly Fragment[], pending: readonly Fragment[], error: KernelError): Promise<void> => {
    if (some.length <= 1) {
      culprits.push(...some.map((fragment) => ({ fragment, error })));
      return;
    }
    const half = Math.ceil(some.length / 2);
    await search(some.slice(0, half), [...some.slice(half), ...pending]);
    await search(some.slice(half), pending);
  };
  const search = async (some: readonly Fragment[], pending: readonly Fragment[]): Promise<void> => {
    const state = holdBack([...withheld(), ...pending]);
    const tried = await attempt(state);
    if (tried.applied.refused) await split(some, pending, tried.applied.refused.error);
    else [held, result] = [state, tried];
  };
  await split(suspects, [], refusal);
  held = holdBack(withheld());
  result = await attempt(held);
  return { culprits, result, held };
}

function namedIn({ refusal }: KernelError, suspects: readonly Fragment[]): Fragment | undefined {
  const { culprit } = refusal;
  if (culprit === undefined) return undefined;
  const line = culprit.replace(/^-[ID] (\S+)(?: \d+)?/, "-A $1");
  return suspects.find((fragment) => TABLES.some((table) => owns(fragment, table, line)));
}

function owns(fragment: Fragment, table: (typeof TABLES)[number], line: string): boolean {
  const chains = fragment.chains(table).map(({ rules }) => rules);
  return [...chains, ...fragment.shares(table).values()].some((rules) => rules.some((rule) => rule.line === line));
}
