// Does the work for one change stay the same however many Services there are?
import t, { type Test } from "tap";
import type { ServiceRecord, Snapshot } from "../../src/api/objects.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { printTables } from "../../src/state/iptables-print.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice, buildSnapshot } from "../support/build.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { fromScratch, KeptKernel } from "../support/kept-kernel.ts";
import { savedTables } from "../support/saved-tables.ts";

const FAMILY = "IPv4";
const FEW = 20;
const MANY = 2000;

/** Two endpoints each, the last byte of one of them given. */
function recordOf(number: number, last = 1): ServiceRecord {
  const [name, net] = [`s-${String(number).padStart(4, "0")}`, `${number >> 8}.${number & 255}`];
  const endpoints = [
    buildEndpoint(`10.1.${number >> 8}.${number & 255}`),
    buildEndpoint(`10.2.${number >> 8}.${last}`),
  ];
  const ports = [buildPort({ nodePort: 30_000 + number })];
  return buildRecord(
    buildService({ name, clusterIP: `10.0.${net}`, ports }),
    buildSlice(endpoints, { name, service: name }),
  );
}

function snapshotOf(records: ReadonlyMap<number, ServiceRecord>): Snapshot {
  return buildSnapshot([...records.values()]);
}

async function setUp(services: number, variant: "nft" | "legacy") {
  const tools = new FakeIptables();
  const kept = new KeptKernel({ family: FAMILY, variant, kernel: machine(tools.run) });
  // Those with odd numbers: so that there is a place in the midst for one that is new.
  const records = new Map(Array.from({ length: services }, (_, index) => [2 * index + 1, recordOf(2 * index + 1)]));
  await kept.keep(snapshotOf(records));
  return { tools, kept, records };
}

const CHANGES = [
  { name: "one endpoint changes", change: (records: Map<number, ServiceRecord>) => records.set(21, recordOf(21, 2)) },
  { name: "a Service comes", change: (records: Map<number, ServiceRecord>) => records.set(20, recordOf(20)) },
  { name: "a Service goes", change: (records: Map<number, ServiceRecord>) => records.delete(7) },
  {
    name: "a Service loses all endpoints",
    change: (records: Map<number, ServiceRecord>) => records.set(9, { ...recordOf(9), slices: [] }),
  },
];

for (const variant of ["nft", "legacy"] as const) {
  t.test(`through ${variant}, ${FEW} and ${MANY} Services`, async (t) => {
    const [few, many] = [await linesSent(t, FEW, variant), await linesSent(t, MANY, variant)];
    for (const { name } of CHANGES) {
      t.ok((few.get(name)?.length ?? 0) > 5, `${name}: something is sent`);
      t.ok((many.get(name)?.length ?? 0) < 40, `${name}: ${many.get(name)?.length} lines`);
    }
    const counts = (sent: typeof few) => [...sent].map(([name, lines]) => `${name}: ${lines.length} lines`);
    t.strictSame(counts(many), counts(few), "the same number of lines");
  });
}

/** Applies one change after the other, and holds the result against all worked out anew. */
async function linesSent(t: Test, services: number, variant: "nft" | "legacy") {
  const { tools, kept, records } = await setUp(services, variant);
  const sent = new Map<string, readonly string[]>();
  for (const { name, change } of CHANGES) {
    const commands = tools.log.length;
    change(records);
    await kept.keep(snapshotOf(records));
    const log = tools.log.slice(commands);
    t.strictSame(
      log.map(({ program }) => program),
      ["iptables-restore"],
      `${services}: ${name}: one process`,
    );
    sent.set(name, log[0]?.input.trimEnd().split("\n") ?? []);
  }
  const commands = tools.log.length;
  await kept.keep(snapshotOf(records));
  t.equal(tools.log.length, commands, "no process for a change of nothing");
  const found = await savedTables(async () => tools.save(), FAMILY);
  t.equal(
    found.join("\n"),
    [...printTables(fromScratch(snapshotOf(records), FAMILY))].join("\n"),
    "and it is all right",
  );
  return sent;
}
