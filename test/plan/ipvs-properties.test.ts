// Does the kernel have exactly what is wanted after a plan was carried out, whatever it had before?
import fc from "fast-check";
import t from "tap";
import type { Snapshot } from "../../src/api/objects.ts";
import { carryOutIpvs } from "../../src/kernel/ipvs-step.ts";
import { type KnownWorld, worldOf } from "../../src/model/world.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { changesBetween, pagedList } from "../../src/paged-list.ts";
import { diffIpvs, type IpvsCircumstances } from "../../src/plan/ipvs.ts";
import type { IpvsStep } from "../../src/plan/plan.ts";
import { emptyState, type KernelState } from "../../src/state/kernel-state.ts";
import { clusters } from "../support/arbitrary-clusters.ts";
import { buildFacts, buildOptions } from "../support/build.ts";
import { afterEvent, type ClusterEvent, clusterEvents } from "../support/cluster-walk.ts";
import { type ForeignEdit, foreignEdits, stepsOfEdit } from "../support/foreign-ipvs.ts";
import { differences, foundLines, wantedLines } from "../support/ipvs-lines.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";
import { takeSeed } from "../support/seed.ts";
import { IPVS_BACKEND } from "../support/templates.ts";

const seed = takeSeed();
t.setTimeout(240_000);

const QUIET: IpvsCircumstances = { initial: false, draining: new Set(), due: [] };

interface Case {
  readonly family: Family;
  readonly scheduler: string;
  readonly excludeCIDRs: readonly string[];
  readonly first: Snapshot;
  readonly events: readonly ClusterEvent[];
}

const cases: fc.Arbitrary<Case> = fc.record({
  family: fc.constantFrom(...FAMILIES),
  scheduler: fc.constantFrom("rr", "mh"),
  excludeCIDRs: fc.constantFrom([], ["203.0.113.0/24", "2001:db8:ff::/48"]),
  first: clusters,
  events: fc.array(clusterEvents, { maxLength: 10 }),
});

/** The wanted states from one event to the next, as the daemon works them out: what did not change is the same object. */
function* statesOf({ family, scheduler, excludeCIDRs, first, events }: Case): Iterable<KernelState> {
  const options = buildOptions({ mode: "ipvs", ipvs: { scheduler, strictARP: false, excludeCIDRs } });
  let previous: KnownWorld | undefined;
  let snapshot = first;
  for (const event of [undefined, ...events]) {
    if (event) snapshot = afterEvent(snapshot, event);
    const input = { snapshot, nodeName: "n1", options, facts: buildFacts(), family };
    previous = worldOf({ ...input, ...(previous && { previous }) });
    yield IPVS_BACKEND.desired(previous);
  }
}

function stepsBetween(wanted: KernelState, actual: KernelState, circumstances = QUIET): readonly IpvsStep[] {
  const changed = changesBetween(wanted.fragments, actual.fragments);
  const { early, late } = diffIpvs(wanted, actual, changed, circumstances);
  return [...early, ...late];
}

async function carryOut(memory: IpvsMemory, steps: readonly IpvsStep[]): Promise<void> {
  for (const step of steps) {
    const { items } = await carryOutIpvs(step, memory);
    for (const { error } of items) throw error;
  }
}

async function observed(memory: IpvsMemory, wanted: KernelState): Promise<KernelState> {
  const ipvs = await memory.look(wanted.family, wanted.ipvs?.kind === "wanted" ? wanted.ipvs.sets : []);
  return { ...emptyState(wanted.family), observed: true, fragments: pagedList(), ipvs };
}

/** What is not as wanted, but for virtual servers that are to be left alone. */
async function wrong(memory: IpvsMemory, wanted: KernelState): Promise<readonly string[]> {
  const { ipvs } = await observed(memory, wanted);
  const found = ipvs?.kind === "observed" ? foundLines(ipvs) : [];
  const spared = (line: string) => /^\+ (?:server|real) \[?(?:203\.0\.113\.|2001:db8:ff:)/.test(line);
  const isSparing = wanted.ipvs?.kind === "wanted" && wanted.ipvs.spared.length > 0;
  return differences(found, wantedLines(wanted)).filter((line) => !(isSparing && spared(line)));
}

function expectNone(lines: readonly string[], when: string): void {
  if (lines.length > 0) throw new Error(`${when}: ${lines.join("\n")}`);
}

function check<Input>(name: string, input: fc.Arbitrary<Input>, run: (input: Input) => Promise<void>, numRuns = 80) {
  t.test(name, async () => fc.assert(fc.asyncProperty(input, run), { seed, numRuns }));
}

check("from one wanted state to the next, and nothing is sent in vain", cases, async (given) => {
  const memory = new IpvsMemory();
  let held: KernelState | undefined;
  for (const wanted of statesOf(given)) {
    memory.journal.needless.length = 0;
    await carryOut(memory, stepsBetween(wanted, held ?? (await observed(memory, wanted))));
    expectNone(await wrong(memory, wanted), "after the change");
    if (given.excludeCIDRs.length === 0) expectNone(memory.journal.needless, "needless");
    held = wanted;
  }
});

check("what both ways of comparing send is the same", cases, async (given) => {
  const [believing, looking] = [new IpvsMemory(), new IpvsMemory()];
  let held: KernelState | undefined;
  for (const wanted of statesOf({ ...given, excludeCIDRs: [] })) {
    for (const memory of [believing, looking]) memory.journal.changes.length = 0;
    const seen = await observed(looking, wanted);
    await carryOut(looking, stepsBetween(wanted, seen));
    await carryOut(believing, stepsBetween(wanted, held ?? seen));
    expectNone(differences([...believing.journal.changes].sort(), [...looking.journal.changes].sort()), "sent");
    held = wanted;
  }
});

check("what is as wanted needs no step, at a start, after a look, or believed", cases, async (given) => {
  const memory = new IpvsMemory();
  for (const wanted of statesOf(given)) {
    await carryOut(memory, stepsBetween(wanted, await observed(memory, wanted)));
    const initial = { ...QUIET, initial: true };
    const steps = [
      ...stepsBetween(wanted, await observed(memory, wanted), initial),
      ...stepsBetween(wanted, await observed(memory, wanted)),
      ...stepsBetween(wanted, wanted),
    ];
    expectNone(
      steps.map((step) => JSON.stringify(step)),
      "a step",
    );
  }
});

const edited = fc.record({ given: cases, edits: fc.array(foreignEdits, { minLength: 1, maxLength: 12 }) });

interface Edited {
  readonly given: Case;
  readonly edits: readonly ForeignEdit[];
}

check(
  "from whatever others made of it",
  edited,
  async ({ given, edits }: Edited) => {
    const memory = new IpvsMemory();
    for (const wanted of statesOf(given)) {
      await carryOut(memory, stepsBetween(wanted, await observed(memory, wanted)));
      for (const edit of edits) {
        const { ipvs } = await observed(memory, wanted);
        if (ipvs?.kind === "observed") await memory.edit(...stepsOfEdit(ipvs, given.family, edit));
      }
      memory.journal.needless.length = 0;
      await carryOut(memory, stepsBetween(wanted, await observed(memory, wanted)));
      expectNone(await wrong(memory, wanted), "after the edits");
      expectNone(memory.journal.needless, "needless");
    }
  },
  40,
);

check(
  "two families keep out of each other's way",
  fc.tuple(cases, cases),
  async ([one, other]) => {
    const memory = new IpvsMemory();
    for (const [family, given] of [
      ["IPv4", one],
      ["IPv6", other],
    ] as const) {
      for (const wanted of statesOf({ ...given, family, excludeCIDRs: [] })) {
        await carryOut(memory, stepsBetween(wanted, await observed(memory, wanted)));
        expectNone(await wrong(memory, wanted), family);
      }
    }
    const [last] = [...statesOf({ ...one, family: "IPv4", excludeCIDRs: [] })].slice(-1);
    if (last) expectNone(await wrong(memory, last), "the first one still");
  },
  60,
);
