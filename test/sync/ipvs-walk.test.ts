// In IPVS mode, does what is done step by step leave the same as doing everything anew, whatever happens on the way?
import fc from "fast-check";
import t, { type Test } from "tap";
import type { Snapshot } from "../../src/api/objects.ts";
import { KernelError } from "../../src/errors.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { afterEvent, type ClusterEvent, clusterEvents, EMPTY } from "../support/cluster-walk.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { FOREIGN, ourLines, withoutJumpOrder } from "../support/foreign-hand.ts";
import { type ForeignEdit, foreignEdits, stepsOfEdit } from "../support/foreign-ipvs.ts";
import { differences, foundLines, wantedLines } from "../support/ipvs-lines.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";
import { fromScratch, KeptKernel, SYNC_PERIOD } from "../support/kept-kernel.ts";
import { savedTables } from "../support/saved-tables.ts";
import { takeSeed } from "../support/seed.ts";

const seed = takeSeed();
t.setTimeout(240_000);

const STEPS = 250;

/** Longer than anything is done without, and than any look at real servers that drain. */
const LONG = 30 * SYNC_PERIOD;

/** What the kernel may refuse, with the lines that it is then without. */
const REFUSED: readonly { readonly change: RegExp; readonly without: RegExp }[] = [
  { change: /^(?:add|set)-real .* to \[?(?:10\.1\.0\.|fd00:1::)3\b/, without: /^real .* to (?:10\.1\.0\.|fd00:1::)3 / },
  {
    change: /^bind (?:1\.2\.3\.4|2001::5)\//,
    without: /^(?:address|server|real|entry \S+-IPVS-IPS) \[?(?:1\.2\.3\.4|2001::5)\b/,
  },
  { change: /^(?:add|set)-server .*:53\/UDP/, without: /^(?:server|real) \S+:53\/UDP / },
  { change: /^add KUBE-(?:6-)?CLUSTER-IP /, without: /^entry KUBE-(?:6-)?CLUSTER-IP / },
];

interface Fault {
  /** `refuse` and `accept` last; `save`, `restore`, `lose` fail for one step; `edit` is somebody else's. */
  readonly fault: "refuse" | "accept" | "save" | "restore" | "lose" | "connect" | "end" | "wait";
  readonly at: number;
  /** What happens at the same time, so that there is something to do. */
  readonly event: ClusterEvent;
}

const faults: fc.Arbitrary<Fault> = fc.record({
  fault: fc.constantFrom("refuse", "accept", "save", "restore", "lose", "lose", "connect", "connect", "end", "wait"),
  at: fc.nat({ max: 99_999 }),
  event: clusterEvents,
});

type Happening = ClusterEvent | Fault | { readonly edit: ForeignEdit };

const happenings: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: clusterEvents },
  { weight: 2, arbitrary: faults },
  { weight: 1, arbitrary: fc.record({ edit: foreignEdits }) },
);

for (const family of FAMILIES) {
  t.test(`${family}: every step leaves what doing all of it anew would`, async (t) => {
    await walkQuietly(t, setUp(family), walk(clusterEvents));
  });
  t.test(`${family}: with faults and foreign hands, all is well at rest`, async (t) => {
    await walkThroughFaults(t, setUp(family), walk(happenings));
  });
}

function walk<Event>(event: fc.Arbitrary<Event>): readonly Event[] {
  return fc.sample(fc.noBias(event), { seed, numRuns: STEPS });
}

function setUp(family: Family) {
  const tools = new FakeIptables();
  const memory = new IpvsMemory();
  tools.load(FOREIGN);
  // The kernel takes no rule that refers to a set it has not.
  const unknownSet = () => {
    const names = [...(tools.log.at(-1)?.input ?? "").matchAll(/ --match-set (\S+) /g)].map(([, name = ""]) => name);
    const missing = names.find((name) => !memory.setNames.includes(name));
    return missing === undefined ? undefined : `Set ${missing} doesn't exist.`;
  };
  tools.fault = unknownSet;
  const kernel = { ...machine(tools.run, memory), moved: async () => false };
  const wanted = (snapshot: Snapshot) => fromScratch(snapshot, family, "ipvs");
  const kept = new KeptKernel({ family, variant: "nft", mode: "ipvs", kernel });
  return { family, tools, memory, unknownSet, kept, wanted, met: { refusals: 0 } };
}

type Subject = ReturnType<typeof setUp>;

/** What is there in tables, sets, IPVS and on the interface. */
async function found({ family, tools, memory }: Subject, wanted: KernelState): Promise<readonly string[]> {
  const sets = wanted.ipvs?.kind === "wanted" ? wanted.ipvs.sets : [];
  const tables = ourLines(await savedTables(async () => tools.save(), family));
  return [...withoutJumpOrder(tables), ...foundLines(await memory.look(family, sets))];
}

function whole(wanted: KernelState): readonly string[] {
  return [...withoutJumpOrder([...printTables(wanted)]), ...wantedLines(wanted)];
}

async function walkQuietly(t: Test, subject: Subject, events: readonly ClusterEvent[]) {
  const { tools, memory, kept, wanted } = subject;
  let snapshot = EMPTY;
  for (const [step, event] of events.entries()) {
    snapshot = afterEvent(snapshot, event);
    const refused = await kept.keep(snapshot);
    const state = wanted(snapshot);
    const wrong = differences(await found(subject, state), whole(state));
    if (refused || wrong.length > 0) return t.strictSame(wrong, [], `step ${step}: ${JSON.stringify(event)}`);
  }
  t.strictSame(memory.journal.needless, [], "nothing was sent in vain");
  t.equal(kept.keeper.nextLook, undefined, "nothing drains");
  t.strictSame(
    kept.lines.filter((line) => /^[EW]/.test(line)),
    [],
  );
  const saves = tools.log.filter(({ program }) => program.endsWith("-save")).length;
  return t.equal(saves, 1, `${events.length} steps: the kernel was looked at once, and believed from then on`);
}

async function walkThroughFaults(t: Test, subject: Subject, events: readonly Happening[]) {
  const { tools, memory, kept, wanted, unknownSet } = subject;
  let snapshot = EMPTY;
  for (const [step, event] of events.entries()) {
    if ("edit" in event) await edit(subject, wanted(snapshot), event.edit);
    else if ("fault" in event) await befall(subject, event);
    if (!("edit" in event)) snapshot = afterEvent(snapshot, "fault" in event ? event.event : event);
    await keepOn(kept, snapshot);
    [tools.fault, memory.loses] = [unknownSet, undefined];
    const others = (await found(subject, wanted(snapshot))).filter((line) => line.startsWith("interface"));
    if (others.length > 1) return t.fail("more than one interface");
    if (memory.journal.broken.length > 0) return t.strictSame(memory.journal.broken, [], `step ${step}: connections`);
    if (step % 25 === 12) {
      await rest(kept, snapshot);
      const state = wanted(snapshot);
      const lost = differences(await found(subject, state), whole(state)).filter((line) => line.startsWith("- "));
      const unjust = lost.filter((line) => !REFUSED.some(({ without }) => without.test(line.slice(2))));
      if (unjust.length > 0) return t.strictSame(unjust, [], `step ${step}: what is not refused is served`);
    } else if (step % 25 === 24) {
      memory.journal.refuses = () => 0;
      await endConnections(subject, wanted(snapshot));
      await rest(kept, snapshot);
      const state = wanted(snapshot);
      const wrong = differences(await found(subject, state), whole(state));
      if (wrong.length > 0) return t.strictSame(wrong, [], `step ${step}: all is well`);
      if (kept.keeper.nextLook !== undefined) return t.fail(`step ${step}: something drains`);
    }
  }
  // Two steps of seven bring a fault; whether the kernel has anything to refuse then is left to chance.
  const faults = events.filter((event) => "fault" in event).length;
  const errors = kept.lines.filter((line) => line.startsWith("E")).length;
  t.ok(subject.met.refusals === 0 || errors > 0, `${subject.met.refusals} refusals, told in ${errors} lines`);
  return t.ok(faults > 0, `${events.length} steps, and ${faults} faults on the way`);
}

async function edit({ family, memory }: Subject, { ipvs }: KernelState, one: ForeignEdit): Promise<void> {
  const sets = ipvs?.kind === "wanted" ? ipvs.sets : [];
  await memory.edit(...stepsOfEdit(await memory.look(family, sets), family, one));
}

async function befall(subject: Subject, { fault, at }: Fault): Promise<void> {
  const { family, tools, memory, kept, wanted, met } = subject;
  switch (fault) {
    case "refuse": {
      const { change } = REFUSED[at % REFUSED.length] ?? { change: /^$/ };
      memory.journal.refuses = (asked) => {
        if (!change.test(asked)) return 0;
        met.refusals++;
        return 22;
      };
      return;
    }
    case "accept":
      memory.journal.refuses = () => 0;
      return;
    case "lose":
      memory.loses = losing(at);
      return;
    case "connect":
      for (const host of [1, 2, 3, 4, 5]) {
        const address = family === "IPv4" ? `10.1.0.${host}` : `fd00:1::${host}`;
        if ((at >> host) % 2 === 0) memory.connect(address, 8080, host);
      }
      return;
    case "end":
      await endConnections({ family, memory }, wanted(EMPTY));
      return;
    case "wait":
      await kept.clock.advance(at);
      return;
    default:
      tools.fault = failing(fault, 1 + (at % 4));
  }
}

async function endConnections({ family, memory }: Pick<Subject, "family" | "memory">, { ipvs }: KernelState) {
  const sets = ipvs?.kind === "wanted" ? ipvs.sets : [];
  const { servers } = await memory.look(family, sets);
  for (const { address, port } of servers.flatMap(({ realServers }) => realServers)) memory.connect(address, port, 0);
}

/** So many requests or answers are lost, after so many that are not. */
function losing(at: number): NonNullable<IpvsMemory["loses"]> {
  const [first, last] = [at % 12, (at % 12) + (at % 5)];
  let asked = 0;
  return () => {
    asked += 1;
    if (asked <= first || asked > last + 1) return undefined;
    return at % 2 === 0 ? "request" : "answer";
  };
}

/** So many calls of a tool fail, as when another program has the lock. */
function failing(tool: "save" | "restore", times: number): NonNullable<FakeIptables["fault"]> {
  let left = times;
  return ({ program }) => {
    if (!program.endsWith(tool) || left === 0) return undefined;
    left -= 1;
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
  for (let time = 0; time < 3; time++) {
    await kept.clock.advance(LONG);
    await kept.keep(snapshot);
  }
}
