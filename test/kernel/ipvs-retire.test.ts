// Does a real server go without breaking a connection?
import t from "tap";
import type { IpvsAccess } from "../../src/kernel/ipvs.ts";
import { retireServers } from "../../src/kernel/ipvs-retire.ts";
import { carryOutIpvs } from "../../src/kernel/ipvs-step.ts";
import type { Retirement, ServerChange } from "../../src/state/server-change.ts";
import { buildReal, buildServer } from "../support/build-ipvs.ts";
import { IpvsMemory } from "../support/ipvs-memory.ts";

const QUIET = buildReal("10.1.0.1");
const BUSY = buildReal("10.1.0.2");

/** So many virtual servers with both real servers, of which one has connections. */
async function setUp(servers: number) {
  const memory = new IpvsMemory();
  const all = Array.from({ length: servers }, (_, at) => buildServer(`10.0.0.${at + 1}`, []));
  const changes = all.flatMap(({ realServers: _, ...server }): readonly ServerChange[] => [
    { kind: "add-server", server },
    { kind: "add-real", server, real: QUIET },
    { kind: "add-real", server, real: BUSY },
  ]);
  await carryOutIpvs({ kind: "servers", changes }, memory);
  memory.connect(BUSY.address, BUSY.port, 1);
  const reals = all.flatMap((server): readonly Retirement[] => [
    { server, real: QUIET },
    { server, real: BUSY },
  ]);
  memory.journal.changes.length = 0;
  const left = async () => (await memory.look("IPv4", [])).servers.flatMap(({ realServers }) => realServers);
  return { memory, reals, left };
}

for (const servers of [1, 8, 9, 100]) {
  t.test(`${servers} virtual servers: who is quiet goes, who is busy keeps its connections`, async (t) => {
    const { memory, reals, left } = await setUp(servers);
    const before = memory.conversations;
    const { draining, refusals } = await retireServers(reals, memory);
    t.ok(memory.conversations - before <= 2 + 2 * 8 + 4, "few questions, however many servers");
    t.strictSame(
      draining,
      reals.filter(({ real }) => real === BUSY),
    );
    t.ok(refusals.length === reals.length && refusals.every((refusal) => refusal === undefined));
    t.ok((await left()).every(({ address, weight }) => address === BUSY.address && weight === 0));
    t.equal((await left()).length, servers);
    const firstGone = memory.journal.changes.findIndex((change) => change.startsWith("remove-real"));
    t.equal(firstGone, reals.length, "all weights are taken away before the first one goes");
    t.strictSame(memory.journal.broken, []);
  });
}

t.test("where the kernel does not tell of connections, all may have some", async (t) => {
  for (const servers of [1, 9]) {
    const { memory, reals, left } = await setUp(servers);
    memory.loses = (protocol, purpose) => (protocol === "generic" && purpose === "dump" ? "answer" : undefined);
    const access: IpvsAccess = { converse: memory.converse, readProc: () => readNothing(memory) };
    const { draining } = await retireServers(reals, access);
    memory.loses = undefined;
    t.strictSame(draining, reals);
    t.ok((await left()).every(({ weight }) => weight === 0));
  }
});

/** Text that the kernel does not write. */
async function* readNothing(memory: IpvsMemory): AsyncIterable<string> {
  yield* memory.readProc();
  yield "nonsense\n";
}

function* failing(): Iterable<string> {
  yield "IP Virtual Server\n";
  throw new TypeError("a bug");
}

t.test("a fault of ours is no busy server", async (t) => {
  const { memory, reals } = await setUp(9);
  const access: IpvsAccess = { converse: memory.converse, readProc: failing };
  await t.rejects(retireServers(reals, access), TypeError);
});

t.test("one that is refused stays as it is, one that cannot be removed drains, one that is gone is gone", async (t) => {
  const { memory, reals, left } = await setUp(1);
  memory.journal.refuses = (change) => (change.startsWith("set-real") && change.includes(QUIET.address) ? 22 : 0);
  const refused = await retireServers(reals, memory);
  t.match(refused.refusals, [{ refusal: { code: "EINVAL" } }, undefined]);
  t.equal((await left()).find(({ address }) => address === QUIET.address)?.weight, 1);
  memory.journal.refuses = (change) => (change.startsWith("remove-real") ? 22 : 0);
  t.strictSame((await retireServers(reals, memory)).draining, reals);
  memory.journal.refuses = () => 0;
  memory.connect(BUSY.address, BUSY.port, 0);
  t.strictSame((await retireServers(reals, memory)).draining, []);
  t.strictSame(await left(), []);
  t.strictSame((await retireServers(reals, memory)).draining, [], "as good");
});
