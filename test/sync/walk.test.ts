// Does what is done step by step leave the same in the kernel as doing everything anew, whatever happens on the way?
import fc from "fast-check";
import t, { type Test } from "tap";
import type { Snapshot } from "../../src/api/objects.ts";
import { KernelError } from "../../src/errors.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { pagedList } from "../../src/paged-list.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import type { Fragment, KernelState } from "../../src/state/kernel-state.ts";
import { afterEvent, type ClusterEvent, clusterEvents, EMPTY, POISON } from "../support/cluster-walk.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { FOREIGN, foreignEdit, foreignLines, ourLines, withoutJumpOrder } from "../support/foreign-hand.ts";
import { fromScratch, KeptKernel, SYNC_PERIOD } from "../support/kept-kernel.ts";
import { savedTables } from "../support/saved-tables.ts";
import { takeSeed } from "../support/seed.ts";

const seed = takeSeed();
t.setTimeout(120_000);

const STEPS = 300;
const WALKS = 2;
const VARIANTS = ["nft", "legacy"] as const;

/** Longer than anything is set aside. */
const LONG = 20 * SYNC_PERIOD;

interface Fault {
  /** `refuse` and `accept` last; `save` and `restore` fail for one step; `edit` is somebody else's. */
  readonly kind: "refuse" | "accept" | "save" | "restore" | "edit" | "wait";
  readonly at: number;
}

const faults: fc.Arbitrary<Fault> = fc.record({
  kind: fc.constantFrom("refuse", "accept", "save", "restore", "edit", "edit", "wait"),
  at: fc.nat({ max: 99_999 }),
});
const faultyEvents = fc.oneof({ weight: 3, arbitrary: clusterEvents }, { weight: 1, arbitrary: faults });

for (const family of FAMILIES) {
  for (const variant of VARIANTS) {
    t.test(`${family} through ${variant}: every step leaves what doing all of it anew would`, async (t) => {
      for (const events of walks(clusterEvents)) await walkQuietly(t, setUp(family, variant), events);
    });
    t.test(`${family} through ${variant}: with faults and foreign hands, all is well at rest`, async (t) => {
      for (const events of walks(faultyEvents)) await walkThroughFaults(t, setUp(family, variant), events);
    });
  }
}

function walks<Event>(event: fc.Arbitrary<Event>): readonly (readonly Event[])[] {
  return fc.sample(fc.array(event, { minLength: STEPS, maxLength: STEPS }), { seed, numRuns: WALKS });
}

function setUp(family: Family, variant: (typeof VARIANTS)[number]) {
  const tools = new FakeIptables();
  tools.names = variant === "nft" ? "rule" : "commit";
  tools.load(FOREIGN);
  let edited = false;
  const moved = async () => {
    const told = edited;
    edited = false;
    return told;
  };
  return {
    tools,
    kept: new KeptKernel({ family, variant, kernel: { ...machine(tools.run), moved, chainsMoved: async () => true } }),
    saved: () => savedTables(async () => tools.save(), family),
    wanted: (snapshot: Snapshot) => fromScratch(snapshot, family),
    edit: (text: string) => {
      tools.load(text);
      edited = true;
    },
  };
}

type Subject = ReturnType<typeof setUp>;

async function walkQuietly(t: Test, { tools, kept, saved, wanted }: Subject, events: readonly ClusterEvent[]) {
  let snapshot = EMPTY;
  for (const [step, event] of events.entries()) {
    snapshot = afterEvent(snapshot, event);
    const refused = await kept.keep(snapshot);
    const [found, all] = [ourLines(await saved()), [...printTables(wanted(snapshot))]];
    if (refused || !same(found, all)) return t.strictSame(found, all, `step ${step}: ${JSON.stringify(event)}`);
  }
  const saves = tools.log.filter(({ program }) => program.endsWith("-save")).length;
  return t.equal(saves, 1, `${events.length} steps: the kernel was looked at once, and believed from then on`);
}

async function walkThroughFaults(t: Test, subject: Subject, events: readonly (ClusterEvent | Fault)[]) {
  const { tools, kept, saved, wanted } = subject;
  let snapshot = EMPTY;
  for (const [step, event] of events.entries()) {
    if ("at" in event && isFault(event)) await befall(subject, event);
    else snapshot = afterEvent(snapshot, event as ClusterEvent);
    const others = foreignLines(await saved());
    await keepOn(kept, snapshot);
    tools.fault = undefined;
    if (!same(foreignLines(await saved()), others)) return t.fail(`step ${step}: touched what is not ours`);
    if (step % 25 === 12) {
      await rest(kept, snapshot);
      const lost = missing(await saved(), innocent(wanted(snapshot)));
      if (lost.length > 0) return t.strictSame(lost, [], `step ${step}: what is not refused is served`);
    } else if (step % 25 === 24) {
      tools.refuses = undefined;
      await rest(kept, snapshot);
      const found = withoutJumpOrder(ourLines(await saved()));
      const all = withoutJumpOrder([...printTables(wanted(snapshot))]);
      if (!same(found, all)) return t.strictSame(found, all, `step ${step}: right at rest`);
    }
  }
  return t.pass(`${events.length} steps`);
}

function isFault(event: ClusterEvent | Fault): event is Fault {
  return ["refuse", "accept", "save", "restore", "edit", "wait"].includes(event.kind);
}

async function befall({ tools, kept, saved, edit }: Subject, { kind, at }: Fault): Promise<void> {
  if (kind === "edit") edit(foreignEdit(await saved(), at));
  else if (kind === "wait") await kept.clock.advance(at);
  else if (kind === "refuse") tools.refuses = POISON;
  else if (kind === "accept") tools.refuses = undefined;
  else tools.fault = failing(kind, 1 + (at % 4));
}

/** So many calls of a tool fail, as when another program has the lock. */
function failing(tool: "save" | "restore", times: number): NonNullable<FakeIptables["fault"]> {
  let left = times;
  return ({ program }) => {
    if (!program.endsWith(tool) || left === 0) return undefined;
    left--;
    return "Another app is currently holding the xtables lock";
  };
}

/** As the daemon does: what cannot be looked at is believed no longer. */
async function keepOn(kept: KeptKernel, snapshot: Snapshot): Promise<void> {
  try {
    await kept.keep(snapshot);
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    kept.keeper.forget();
  }
}

async function rest(kept: KeptKernel, snapshot: Snapshot): Promise<void> {
  for (let time = 0; time < 2; time++) {
    await kept.clock.advance(LONG);
    await kept.keep(snapshot);
  }
}

/** The state without the ServicePorts that the kernel refuses. */
function innocent(state: KernelState): KernelState {
  const isPoisoned = (fragment: Fragment) =>
    fragment.chains("nat").some(({ rules }) => rules.some(({ line }) => line.includes(POISON)));
  return { ...state, fragments: pagedList([...state.fragments].filter((fragment) => !isPoisoned(fragment))) };
}

function missing(found: readonly string[], state: KernelState): readonly string[] {
  const there = new Set(found);
  return [...printTables(state)].filter((line) => !there.has(line));
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.join("\n") === b.join("\n");
}
