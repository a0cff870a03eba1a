// In IPVS mode, does one change cost the same however many Services there are?
import t, { type Test } from "tap";
import type { ServiceRecord, Snapshot } from "../../src/api/objects.ts";
import { machine } from "../../src/kernel/kernel.ts";
import { buildEndpoint, buildPort, buildRecord, buildService, buildSlice, buildSnapshot } from "../support/build.ts";
import { FakeIptables } from "../support/fake-iptables.ts";
import { differences, foundLines, wantedLines } from "../support/ipvs-lines.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";
import { fromScratch, KeptKernel } from "../support/kept-kernel.ts";

const FAMILY = "IPv4";
const FEW = 20;
const MANY = 2000;
t.setTimeout(240_000);

/** Two endpoints each, the last byte of one of them given. */
function recordOf(number: number, last = 1): ServiceRecord {
  const [name, net] = [`s-${String(number).padStart(4, "0")}`, `${number >> 8}.${number & 255}`];
  const endpoints = [buildEndpoint(`10.1.${net}`), buildEndpoint(`10.2.${number >> 8}.${last}`)];
  const ports = [buildPort({ nodePort: 30_000 + number })];
  return buildRecord(
    buildService({ name, clusterIP: `10.0.${net}`, ports }),
    buildSlice(endpoints, { name, service: name }),
  );
}

type Records = Map<number, ServiceRecord>;

const CHANGES: readonly {
  readonly name: string;
  readonly most: number;
  readonly change: (records: Records) => void;
}[] = [
  { name: "one endpoint changes", most: 6, change: (records) => records.set(21, recordOf(21, 2)) },
  { name: "a Service comes", most: 10, change: (records) => records.set(20, recordOf(20)) },
  { name: "a Service goes", most: 6, change: (records) => records.delete(7) },
  {
    name: "a Service loses all endpoints",
    most: 10,
    change: (records) => records.set(9, { ...recordOf(9), slices: [] }),
  },
];

t.test(`${FEW} and ${MANY} Services`, async (t) => {
  const [few, many] = [await costs(t, FEW), await costs(t, MANY)];
  t.strictSame(many, few, "the same changes are asked for, in as many conversations");
  for (const [index, { name, most }] of CHANGES.entries()) {
    const { changes, conversations } = many[index] ?? { changes: 0, conversations: 0 };
    t.ok(changes > 0 && changes <= most, `${name}: ${changes} changes in ${conversations} conversations`);
  }
});

/** Makes one change after the other, and holds the result against all worked out anew. */
async function costs(t: Test, services: number) {
  const [tools, memory] = [new FakeIptables(), new IpvsMemory()];
  const kernel = { ...machine(tools.run, memory), moved: async () => false };
  const kept = new KeptKernel({ family: FAMILY, variant: "nft", mode: "ipvs", kernel });
  const records: Records = new Map(
    Array.from({ length: services }, (_, index) => [2 * index + 1, recordOf(2 * index + 1)]),
  );
  await kept.keep(snapshotOf(records));
  const sent = [];
  for (const { name, change } of CHANGES) {
    change(records);
    sent.push({ name, ...(await costOf(memory, () => kept.keep(snapshotOf(records)))) });
  }
  const nothing = await costOf(memory, () => kept.keep(snapshotOf(records)));
  t.strictSame(nothing, { changes: 0, conversations: 0 }, `${services}: nothing for a change of nothing`);
  t.strictSame(tools.log.length, 2, `${services}: a look and a restore at the start, and no process for a change`);
  const state = fromScratch(snapshotOf(records), FAMILY, "ipvs");
  const found = foundLines(await memory.look(FAMILY, state.ipvs?.kind === "wanted" ? state.ipvs.sets : []));
  t.strictSame(differences(found, wantedLines(state)), [], `${services}: and it is all right`);
  return sent;
}

async function costOf(memory: IpvsMemory, act: () => Promise<unknown>) {
  const [changes, conversations] = [memory.journal.changes.length, memory.conversations];
  await act();
  return { changes: memory.journal.changes.length - changes, conversations: memory.conversations - conversations };
}

function snapshotOf(records: Records): Snapshot {
  return buildSnapshot([...records.values()]);
}
