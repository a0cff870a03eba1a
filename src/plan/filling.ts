// Splits set changes of a first sync, so that most entries are added while rules are written.
import type { Fragment, KernelState } from "../state/kernel-state.ts";
import type { SetChange } from "../state/set-change.ts";
import type { IpvsStep } from "./plan.ts";
import { isUrgent } from "./urgent.ts";

/**
 * Steps before a first restore that leads to urgent Services alone, where nothing else leads to a chain of ours before
 * the last: what the urgent ones need is still put in first, all others' entries meanwhile.
 */
export function fillMeanwhile(steps: readonly IpvsStep[], { fragments }: KernelState): readonly IpvsStep[] {
  const urgent = entriesOf([...fragments].filter(isUrgent));
  return steps.flatMap((step) =>
    step.kind === "sets" && !isReplacement(step.changes) ? inTwo(step.changes, urgent) : [step],
  );
}

/** A set that takes the name of another must be full by then. */
function isReplacement(changes: readonly SetChange[]): boolean {
  return changes.some(({ kind }) => kind === "swap");
}

type Entries = ReadonlyMap<string, ReadonlySet<string>>;

function inTwo(changes: readonly SetChange[], urgent: Entries): readonly IpvsStep[] {
  const [first, others]: [SetChange[], SetChange[]] = [[], []];
  for (const change of changes) {
    if (change.kind !== "add") {
      first.push(change);
      continue;
    }
    const [now, later]: [string[], string[]] = [[], []];
    for (const entry of change.entries) (urgent.get(change.set.name)?.has(entry) ? now : later).push(entry);
    if (now.length > 0) first.push({ ...change, entries: now });
    if (later.length > 0) others.push({ ...change, entries: later });
  }
  const steps: readonly (IpvsStep | false)[] = [
    first.length > 0 && { kind: "sets", changes: first },
    others.length > 0 && { kind: "sets", changes: others, meanwhile: true },
  ];
  return steps.filter((step) => step !== false);
}

function entriesOf(fragments: readonly Fragment[]): Entries {
  const sets = new Map<string, Set<string>>();
  for (const { set, entry } of fragments.flatMap((fragment) => fragment.ipvs()?.entries ?? [])) {
    sets.set(set, (sets.get(set) ?? new Set()).add(entry));
  }
  return sets;
}
