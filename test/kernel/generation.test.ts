// Tests that foreign changes of nf_tables are told from our own by the generation number.
import "../support/enter-sandbox.ts";

import t from "tap";
import { GenerationWatch, readGeneration } from "../../src/kernel/generation.ts";
import { machine } from "../../src/kernel/kernel.ts";
import type { Step } from "../../src/plan/plan.ts";
import { variantSkip } from "../support/iptables-variant.ts";
import { commandHere } from "../support/namespace-command.ts";
import { privilege, skipReason } from "../support/sandbox.ts";

/** A watch over a kernel whose generation the test sets. */
async function setUp() {
  const kernel: { generation: number | undefined } = { generation: 7 };
  const watch = new GenerationWatch(async () => kernel.generation);
  const change = (by: number) => async () => {
    kernel.generation = (kernel.generation ?? 0) + by;
  };
  await watch.moved("IPv4");
  await watch.moved("IPv6");
  return { kernel, watch, change };
}

t.test("before anything is known, each family is told once", async (t) => {
  const watch = new GenerationWatch(async () => 7);
  t.equal(await watch.moved("IPv4"), true);
  t.equal(await watch.moved("IPv4"), false);
  t.equal(await watch.moved("IPv6"), true);
});

const CASES = [
  { name: "a change of ours", ours: 2, expected: 2, foreign: 0, told: false },
  { name: "a foreign change before ours", ours: 2, expected: 2, foreign: 1, told: true },
  { name: "a foreign change during ours", ours: 3, expected: 2, foreign: 0, told: true },
  { name: "a foreign change may stand in for one of ours that changed nothing, it", ours: 1, expected: 2, told: true },
];

for (const { name, ours, expected, foreign = 0, told } of CASES) {
  t.test(`${name} is ${told ? "" : "not "}reported to both families`, async (t) => {
    const { watch, change } = await setUp();
    await change(foreign)();
    await watch.ours(expected, change(ours));
    t.equal(await watch.moved("IPv4"), told);
    t.equal(await watch.moved("IPv6"), told);
    t.equal(await watch.moved("IPv4"), false, "and once only");
  });
}

t.test("a kernel that does not tell may always have moved", async (t) => {
  const { kernel, watch } = await setUp();
  kernel.generation = undefined;
  t.equal(await watch.moved("IPv4"), true);
  t.equal(await watch.moved("IPv4"), true);
});

t.test("a look in the midst of a change of ours waits for its end", async (t) => {
  const { watch, change } = await setUp();
  let finish = () => {};
  const under = watch.ours(2, async () => {
    await change(2)();
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  const moved = watch.moved("IPv6");
  await new Promise(setImmediate);
  finish();
  await under;
  t.equal(await moved, false);
});

t.test("a change that fails may hide a foreign one; the next change is told apart again", async (t) => {
  const { watch, change } = await setUp();
  await t.rejects(
    watch.ours(1, () => Promise.reject(new RangeError("no"))),
    RangeError,
  );
  t.equal(await watch.moved("IPv4"), true);
  await watch.ours(1, change(1));
  t.equal(await watch.moved("IPv4"), false);
});

t.test("a real kernel", { skip: skipReason() || variantSkip("nft") }, async (t) => {
  const run = commandHere("nft");
  const kernel = machine(run);
  const foreign = (...args: string[]) => run({ program: "iptables", args });
  const write = (table: "nat" | "filter", rule: string): Promise<unknown> => {
    const changes = [{ table, clear: ["KUBE-SERVICES"], rules: [`-A KUBE-SERVICES ${rule}`], remove: [] }];
    const step: Step = { kind: "iptables", family: "IPv4", changes };
    return kernel.apply({ steps: [step], kept: [] });
  };
  await foreign("-t", "nat", "-N", "CNI");
  await kernel.moved("IPv4");
  const before = (await readGeneration()) ?? Number.NaN;
  await foreign("-t", "nat", "-A", "CNI", "-j", "RETURN");
  t.ok(((await readGeneration()) ?? 0) > before, "every change makes a new generation");
  t.equal(await kernel.moved("IPv4"), true, "a foreign change is reported");
  for (const [table, rule] of [
    ["nat", "-j RETURN"],
    ["filter", "-j DROP"],
  ] as const) {
    await write(table, rule);
    t.equal(await kernel.moved("IPv4"), false, `a change of ours is not: ${table} ${rule}`);
  }
  await write("nat", "-j MISSING");
  t.equal(await kernel.moved("IPv4"), true, "during a restore that fails there may be a foreign change");
  await run({ program: "iptables-save", args: [] });
  t.equal(await kernel.moved("IPv4"), false, "reading is no change");
  await foreign("-t", "nat", "-F", "KUBE-SERVICES");
  await write("filter", "-j RETURN");
  t.equal(await kernel.moved("IPv4"), true, "a foreign change followed by one of ours is reported");
  t.equal(await kernel.moved("IPv6"), true, "to the other family too");
});

t.test(
  "who may not ask is not told",
  { skip: privilege().kind !== "root" && "an ordinary user has nobody else to become" },
  async (t) => {
    process.seteuid?.("nobody");
    t.teardown(() => process.seteuid?.(0));
    t.equal(await readGeneration(), undefined);
    process.seteuid?.(0);
    t.type(await readGeneration(), "number");
  },
);
