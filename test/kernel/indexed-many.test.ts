// Is every rule of the Indexed layout printed back by the kernel as we write it, wherever Services and nodePorts lie?
import "../support/enter-sandbox.ts";

import fc from "fast-check";
import t, { type Test } from "tap";
import type { ServiceRecord } from "../../src/api/objects.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { pass } from "../../src/sync/pass.ts";
import { buildSnapshot } from "../support/build.ts";
import { ipsetSkipReason } from "../support/ipset-tool.ts";
import { VARIANTS, type Variant, variantSkip } from "../support/iptables-variant.ts";
import { fromScratch, KeptKernel } from "../support/kept-kernel.ts";
import { commandHere } from "../support/namespace-command.ts";
import { savedTables } from "../support/saved-tables.ts";
import { takeSeed } from "../support/seed.ts";
import { INDEXED_BACKEND } from "../support/templates.ts";
import { limitTime } from "../support/time-limit.ts";
import { wideRecord, wideRecords } from "../support/wide-clusters.ts";

limitTime(300_000);

const skip = ipsetSkipReason();
const seed = takeSeed();

const SERVICES = 100;

/** Services that change, come or go at once, and how often. */
const CHANGES = [1, 3, 60];

for (const variant of VARIANTS) {
  t.test(`through ${variant}`, { skip: skip || variantSkip(variant) }, async (t) => {
    for (const family of FAMILIES) await t.test(family, (t) => testMany(t, family, variant));
  });
}

async function testMany(t: Test, family: Family, variant: Variant): Promise<void> {
  const run = commandHere(variant);
  const kernel = machine(run);
  const kept = new KeptKernel({ family, variant, kernel, mode: "Indexed" });
  const [first = []] = fc.sample(wideRecords(SERVICES), { seed, numRuns: 1 });
  let records = new Map(first.map((record) => [record.service.name, record]));
  await look(`${SERVICES} Services`);
  for (const [round, many] of CHANGES.entries()) {
    records = changed(records, many, seed + round);
    await look(`round ${round}, ${many} changes`);
  }

  async function look(name: string): Promise<void> {
    const snapshot = buildSnapshot([...records.values()]);
    const refused = await kept.keep(snapshot);
    t.notOk(refused, `${name}: ${kept.lines.at(-1)}`);
    const wanted = fromScratch(snapshot, family, "Indexed");
    t.strictSame(await savedTables(run, family), [...printTables(wanted)], `${name}: as we write it`);
    const { plan } = await pass({ kernel, backend: INDEXED_BACKEND, variant }, wanted);
    t.strictSame(plan.steps, [], `${name}: nothing to do, in sets neither`);
  }
}

/** In turn one changes, one goes, and one comes. */
function changed(records: ReadonlyMap<string, ServiceRecord>, many: number, seed: number): Map<string, ServiceRecord> {
  const next = new Map(records);
  const numbers = fc.sample(fc.nat({ max: 2 * SERVICES }), { seed, numRuns: many });
  for (const number of numbers) {
    const name = `s${number}`;
    const [record] = fc.sample(wideRecord(number), { seed: seed + number, numRuns: 1 });
    if (next.has(name) && number % 2 === 0) next.delete(name);
    else if (record) next.set(name, record);
  }
  return next;
}
