// Tests on a real kernel that rules changed by other software are right again within one sync period, whatever else
// changes at the same time.
import "../support/enter-sandbox.ts";

import t, { type Test } from "tap";
import type { Snapshot } from "../../src/api/objects.ts";
import type { RunCommand } from "../../src/kernel/command.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { buildEndpoint, buildRecord, buildService, buildSlice, buildSnapshot } from "../support/build.ts";
import { ourLines, withoutJumpOrder } from "../support/foreign-hand.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { fromScratch, KeptKernel, SYNC_PERIOD } from "../support/kept-kernel.ts";
import { commandHere } from "../support/namespace-command.ts";
import { skipReason } from "../support/sandbox.ts";
import { savedTables } from "../support/saved-tables.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(240_000);

const skip = skipReason();

/** Milliseconds between two syncs. */
const STEP = 5_000;

/** Twelve Services, one of which has another endpoint each turn. */
function snapshotOf(turn: number): Snapshot {
  const record = (number: number) => {
    const name = `s${number}`;
    const host = number === turn % 12 ? 100 + (turn % 100) : number;
    const slice = buildSlice([buildEndpoint(`10.1.0.${host}`)], { name: `${name}-1`, service: name });
    return buildRecord(buildService({ name, clusterIP: `10.0.0.${number + 1}` }), slice);
  };
  return buildSnapshot(Array.from({ length: 12 }, (_, number) => record(number)));
}

type Change = (lines: readonly string[]) => readonly string[];

/** The line of the first of our rules in nat that matches, without `-A`. */
function ruleIn(lines: readonly string[], pattern: RegExp): string {
  const line = lines.find((each) => pattern.test(each));
  if (line === undefined) throw new Error(`no rule ${pattern}`);
  return line.slice(3);
}

/** What other software does to our rules, as lines of iptables-restore for nat. */
const DRIFT: Readonly<Record<string, Change>> = {
  "a chain is emptied": () => ["-F KUBE-SERVICES"],
  "a jump in a base chain is deleted": (lines) => [`-D ${ruleIn(lines, /^-A PREROUTING .*-j KUBE-SERVICES/)}`],
  "a rule is replaced by another one": () => ["-R KUBE-MARK-MASQ 1 -j RETURN"],
  "a rule is added": () => ["-I KUBE-POSTROUTING -j RETURN"],
};

for (const variant of VARIANTS) {
  for (const mode of ["iptables", "Indexed"] as const) {
    const able = { skip: (mode === "iptables" ? skip : ipsetSkipReason()) || variantSkip(variant) };
    t.test(`${variant}, ${mode === "Indexed" ? "Indexed" : "Compat"} layout`, able, async (t) => {
      const node = await setUp(variant, mode);
      for (const [name, change] of Object.entries(DRIFT)) {
        for (const isBusy of [false, true]) {
          const title = `${name}${isBusy ? " while Services change all the time" : ""}`;
          await t.test(title, (t) => testDrift(t, node, { change, isBusy }));
        }
      }
      await t.test("other software changes rules during a restore of ours", (t) => testDuringRestore(t, node));
    });
  }
}

async function setUp(variant: Variant, mode: "iptables" | "Indexed") {
  const run = commandHere(variant);
  const state: { turn: number; beforeRestore: (() => Promise<unknown>) | undefined } = {
    turn: 0,
    beforeRestore: undefined,
  };
  /** Runs the change of the test in the midst of ours: behind the first look at the generation. */
  const interrupted: RunCommand = async (command) => {
    const { beforeRestore } = state;
    state.beforeRestore = undefined;
    if (command.program.endsWith("-restore")) await beforeRestore?.();
    return run(command);
  };
  const kept = new KeptKernel({ family: "IPv4", variant, kernel: machine(interrupted), mode });
  await kept.keep(snapshotOf(0));
  const restore = (lines: readonly string[]) =>
    run({ program: "iptables-restore", args: ["--noflush"], input: [["*nat", ...lines, "COMMIT\n"].join("\n")] });
  const lines = async () => withoutJumpOrder(ourLines(await savedTables(run, "IPv4")));
  const desired = () => withoutJumpOrder([...printTables(fromScratch(snapshotOf(state.turn), "IPv4", mode))]);
  return { kept, restore, lines, desired, state };
}

type Subject = Awaited<ReturnType<typeof setUp>>;

interface Drift {
  readonly change: Change;
  readonly isBusy: boolean;
}

/** One sync period from now, with a sync each few seconds. */
async function passPeriod({ kept, state }: Subject, isBusy: boolean): Promise<void> {
  for (let waited = 0; waited < SYNC_PERIOD; waited += STEP) {
    await kept.clock.advance(STEP);
    if (isBusy) state.turn++;
    await kept.keep(snapshotOf(state.turn));
  }
}

async function testDrift(t: Test, node: Subject, { change, isBusy }: Drift): Promise<void> {
  // In the midst of a period, so that the next verification is not due at its end by chance.
  await node.kept.clock.advance(7_000);
  await node.kept.keep(snapshotOf(node.state.turn));
  await node.restore(change(await node.lines()));
  t.notSame(await node.lines(), node.desired(), "the rules are wrong");
  await passPeriod(node, isBusy);
  t.strictSame(await node.lines(), node.desired(), "one sync period later they are right");
}

async function testDuringRestore(t: Test, node: Subject): Promise<void> {
  const { kept, state } = node;
  await passPeriod(node, false);
  state.beforeRestore = () => node.restore(["-A KUBE-MARK-MASQ -j RETURN"]);
  state.turn++;
  await kept.keep(snapshotOf(state.turn));
  t.equal(state.beforeRestore, undefined);
  t.notSame(await node.lines(), node.desired(), "the foreign rule is there");
  await passPeriod(node, true);
  t.strictSame(await node.lines(), node.desired());
}
