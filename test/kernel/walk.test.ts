// Does a real kernel stay as wanted along a random walk of the cluster, with foreign hands in its tables?
import "../support/enter-sandbox.ts";

import fc from "fast-check";
import t, { type Test } from "tap";
import { machine } from "../../src/kernel/kernel.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { afterEvent, clusterEvents, EMPTY } from "../support/cluster-walk.ts";
import { FOREIGN, foreignEdit, foreignLines, ourLines, withoutJumpOrder } from "../support/foreign-hand.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { fromScratch, KeptKernel, SYNC_PERIOD } from "../support/kept-kernel.ts";
import { commandHere } from "../support/namespace-command.ts";
import { skipReason } from "../support/sandbox.ts";
import { savedTables } from "../support/saved-tables.ts";
import { takeSeed } from "../support/seed.ts";
import { limitTime } from "../support/time-limit.ts";

limitTime(240_000);

const skip = skipReason();
const seed = takeSeed();

const STEPS = { iptables: 60, Indexed: Number(process.env.FAIRLEAD_STEPS ?? 20) };

const steps = fc.record({
  event: clusterEvents,
  edit: fc.option(fc.nat({ max: 99_999 }), { freq: 5 }),
  look: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
});

type WalkStep = typeof steps extends fc.Arbitrary<infer One> ? One : never;

for (const variant of VARIANTS) {
  for (const [index, family] of FAMILIES.entries()) {
    for (const mode of ["iptables", "Indexed"] as const) {
      const able = { skip: (mode === "iptables" ? skip : ipsetSkipReason()) || variantSkip(variant) };
      t.test(`${family} through ${variant}, ${mode}`, able, async (t) => {
        const walk = fc.array(steps, { minLength: STEPS[mode], maxLength: STEPS[mode] });
        const [taken = []] = fc.sample(walk, { seed: seed + index, numRuns: 1 });
        await testWalk(t, await setUp({ family, variant, mode }), taken);
      });
    }
  }
}

interface WalkInput {
  readonly family: Family;
  readonly variant: Variant;
  readonly mode: "iptables" | "Indexed";
}

/** Each walk but the first begins where another ended, in the other layout. */
async function setUp({ family, variant, mode }: WalkInput) {
  const run = commandHere(variant);
  const restore = (text: string) => {
    const program = family === "IPv4" ? "iptables-restore" : "ip6tables-restore";
    return run({ program, args: ["--noflush"], input: [family === "IPv4" ? text : asIPv6(text)] });
  };
  await restore(FOREIGN);
  const saved = () => savedTables(run, family);
  return { family, mode, restore, saved, kept: new KeptKernel({ family, variant, kernel: machine(run), mode }) };
}

type Subject = Awaited<ReturnType<typeof setUp>>;

async function testWalk(t: Test, { family, mode, kept, saved, restore }: Subject, walk: readonly WalkStep[]) {
  let snapshot = EMPTY;
  for (const [number, { event, edit, look }] of walk.entries()) {
    snapshot = afterEvent(snapshot, event);
    if (edit !== null) await restore(foreignEdit(await saved(), edit));
    const others = edit === null ? undefined : foreignLines(await saved());
    const refused = await kept.keep(snapshot);
    if (refused) return t.fail(`step ${number}: refused: ${kept.lines.at(-1)}`);
    if (others) t.strictSame(foreignLines(await saved()), others, `step ${number}: what is not ours is as it was`);
    if (!look && number !== walk.length - 1) continue;
    await kept.clock.advance(SYNC_PERIOD);
    await kept.keep(snapshot);
    const wanted = withoutJumpOrder([...printTables(fromScratch(snapshot, family, mode))]);
    t.strictSame(withoutJumpOrder(ourLines(await saved())), wanted, `step ${number}: right after a look`);
  }
  return t.strictSame(
    kept.lines.filter((line) => line.startsWith("E") && !line.includes("Kernel rejected a change")),
    [],
    "no Service port was blamed",
  );
}

/** Rules of others and edits name IPv4 addresses; which ones is of no matter. */
function asIPv6(text: string): string {
  return text
    .replace(/ -s 10\.9\.(\d+)\.(\d+)\/32/g, " -s fd00:9:$1::$2/128")
    .replace("10.244.0.8:80", "[fd00:244::8]:80");
}
