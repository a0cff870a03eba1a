// Whose rules does the kernel refuse?
import type { KernelError } from "../errors.ts";
import { type Fragment, type KernelState, TABLES } from "../state/kernel-state.ts";
import { tailOf } from "../state/rule.ts";
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
  /** None where no fragment is to blame: then `result` has the refusal, if there still is one. */
  readonly culprits: readonly Culprit[];
  /** Of the last attempt. */
  readonly result: PassResult;
  /** What the kernel holds, where that attempt went well. */
  readonly held: KernelState;
}

/** A state with some of its fragments held back: as they were when the kernel last took them, or left out. */
export type HoldBack = (fragments: readonly Fragment[]) => KernelState;

/** Can a rule be to blame? A tool that was killed, missing or kept from the lock names no line; one that read does. */
export function isOverRule({ refusal }: KernelError): boolean {
  return refusal.culprit !== undefined;
}

/**
 * Finds the fragments that make the kernel refuse: the one whose line the tool names, else by halves, so that one among
 * n costs about 2 log2(n) attempts. All others are in the kernel afterwards. Suspects are held back first, so that the
 * rest is not kept waiting. A refusal that is not over a rule ends the search, and nobody is to blame.
 */
export async function findCulprits(
  suspects: readonly Fragment[],
  refusal: KernelError,
  holdBack: HoldBack,
  attempt: Attempt,
): Promise<Verdict> {
  const without = async (some: readonly Fragment[]) => {
    const held = holdBack(some);
    return { held, result: await attempt(held) };
  };
  const named = namedIn(refusal, suspects);
  if (named) {
    const tried = await without([named]);
    if (!tried.result.applied.refused) return { culprits: [{ fragment: named, error: refusal }], ...tried };
  }
  const culprits: Culprit[] = [];
  const withheld = () => culprits.map(({ fragment }) => fragment);
  let last = await without(suspects);
  if (last.result.applied.refused) return { culprits, ...last };
  // Groups still held back. The last is let in first; what the kernel refuses is let in again in parts.
  const groups = suspects.length > 0 ? [suspects] : [];
  for (let group = groups.pop(); group; group = groups.pop()) {
    last = await without([...withheld(), ...groups.flat()]);
    const error = last.result.applied.refused?.error;
    if (!error) continue;
    if (!isOverRule(error)) return { culprits: [], ...last };
    const [only] = group;
    if (only && group.length === 1) culprits.push({ fragment: only, error });
    else groups.push(...parts(group, error));
  }
  if (last.result.applied.refused) last = await without(withheld());
  return { culprits, ...last };
}

/** The one that is named apart from all others, else two halves. */
function parts(group: readonly Fragment[], error: KernelError): readonly (readonly Fragment[])[] {
  const named = namedIn(error, group);
  if (named) return [[named], group.filter((fragment) => fragment !== named)];
  const half = Math.ceil(group.length / 2);
  return [group.slice(half), group.slice(0, half)];
}

function namedIn({ refusal }: KernelError, suspects: readonly Fragment[]): Fragment | undefined {
  const line = refusal.culprit?.replace(/^-[ID] (\S+)(?: \d+)?/, "-A $1");
  return suspects.find((fragment) => TABLES.some((table) => owns(fragment, table, line)));
}

function owns(fragment: Fragment, table: (typeof TABLES)[number], line: string | undefined): boolean {
  if (line === undefined) return false;
  const own = fragment.chains(table).some(({ rules }) => rules.some((rule) => rule.line === line));
  // A share stands in the shared chain, or in one of its index.
  const tail = tailOf(line);
  return own || [...fragment.shares(table).values()].flat().some((rule) => tailOf(rule.line) === tail);
}
