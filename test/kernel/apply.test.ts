// Is it told how far a plan is carried out, and where it stopped?
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { applyPlan, type Progress } from "../../src/kernel/apply.ts";
import { ALL_WELL } from "../../src/kernel/ipvs-step.ts";
import type { Step } from "../../src/plan/plan.ts";
import { buildReal, buildServer } from "../support/build-ipvs.ts";

const STEPS: readonly Step[] = [
  { kind: "sysctl", path: "net/a", value: "1" },
  { kind: "iptables", family: "IPv4", changes: [] },
  { kind: "counter", name: "c" },
];

t.test("progress is told each ten thousand rules and behind each step", async (t) => {
  const told: Progress[] = [];
  const { done, sent, refused } = await applyPlan(
    { steps: STEPS, kept: [] },
    async (step, onRule) => {
      if (step.kind === "iptables") for (let rule = 0; rule < 25_000; rule++) onRule(rule % 5 === 0 ? "filter" : "nat");
      return ALL_WELL;
    },
    (progress) => told.push(progress),
  );
  t.strictSame(
    told.map(({ done, of, rules }) => `${done}/${of} ${rules}`),
    ["1/3 0", "1/3 10000", "1/3 20000", "2/3 25000", "3/3 25000"],
  );
  t.strictSame(done, STEPS);
  t.equal(refused, undefined);
  t.strictSame(Object.fromEntries(sent), { filter: 5_000, nat: 20_000 });
});

t.test("what stands behind a refused step is not tried, and its rules count as sent", async (t) => {
  const error = new KernelError({ step: "iptables-restore", target: "", code: "1", words: "no" });
  const { done, sent, refused } = await applyPlan({ steps: STEPS, kept: [] }, async (step, onRule) => {
    if (step.kind === "counter") t.fail("tried");
    if (step.kind !== "iptables") return ALL_WELL;
    onRule("nat");
    throw error;
  });
  t.strictSame([done, refused], [STEPS.slice(0, 1), { step: STEPS[1], error }]);
  t.strictSame(Object.fromEntries(sent), { nat: 1 });
});

t.test("a fault of ours is no refusal", async (t) => {
  const broken = applyPlan({ steps: STEPS, kept: [] }, () => Promise.reject(new TypeError("a bug")));
  await t.rejects(broken, TypeError);
});

t.test("what single things came to is collected over all steps, of those before a refused one too", async (t) => {
  const error = new KernelError({ step: "ipset add", target: "A 1", code: "EINVAL", words: "no" });
  const { realServers: _, ...server } = buildServer("10.0.0.1", []);
  const one = { server, real: buildReal("10.1.0.1") };
  const { done, refused, items, draining } = await applyPlan({ steps: STEPS, kept: [] }, async (step) => {
    if (step.kind === "counter") throw error;
    return step.kind === "sysctl" ? { items: [{ key: "A 1", error }], draining: [] } : { items: [], draining: [one] };
  });
  t.strictSame([done.length, refused?.step], [2, STEPS[2]]);
  t.strictSame([items, draining], [[{ key: "A 1", error }], [one]]);
});

const RESTORE: Step = { kind: "iptables", family: "IPv4", changes: [] };
const FILLING: Step = { kind: "sets", changes: [], meanwhile: true };
const LAST: Step = { kind: "iptables", family: "IPv4", changes: [] };
const LATE: Step = { kind: "sets", changes: [] };

const NO = new KernelError({ step: "iptables-restore", target: "", code: "1", words: "no" });

/** Carries out four steps, and tells what began and ended, in order; `fails` is what becomes of a step that ends badly. */
async function follow(fails: ReadonlyMap<Step, Error> = new Map()) {
  const names = new Map([
    [FILLING, "filling"],
    [RESTORE, "restore"],
    [LAST, "last"],
    [LATE, "late"],
  ]);
  const course: string[] = [];
  const carryOut = async (step: Step) => {
    course.push(`${names.get(step)} begins`);
    // The filling is over long after the restore beside it.
    for (let turn = 0; turn < (step === FILLING ? 20 : 1); turn++) await new Promise(setImmediate);
    course.push(`${names.get(step)} ends`);
    const error = fails.get(step);
    if (error) throw error;
    return ALL_WELL;
  };
  const applied = await applyPlan({ steps: [FILLING, RESTORE, LAST, LATE], kept: [] }, carryOut).catch(
    (error: unknown) => error,
  );
  return { course, applied };
}

t.test("a step that may be under way meanwhile is waited for by the last restore", async (t) => {
  const { course, applied } = await follow();
  t.strictSame(course, [
    ...["filling begins", "restore begins", "restore ends", "filling ends"],
    ...["last begins", "last ends", "late begins", "late ends"],
  ]);
  t.match(applied, { done: [RESTORE, FILLING, LAST, LATE], refused: undefined });
});

t.test("if it is refused, the last restore is not tried", async (t) => {
  const { course, applied } = await follow(new Map([[FILLING, NO]]));
  t.equal(course.at(-1), "filling ends");
  t.match(applied, { done: [RESTORE], refused: { step: FILLING, error: NO } });
});

t.test("a refusal beside it is told when it is over", async (t) => {
  const { course, applied } = await follow(new Map([[RESTORE, NO]]));
  t.equal(course.at(-1), "filling ends");
  t.match(applied, { done: [FILLING], refused: { step: RESTORE, error: NO } });
});

t.test("a fault of ours in it is thrown", async (t) => {
  const { course, applied } = await follow(new Map([[FILLING, new TypeError("a bug")]]));
  t.ok(applied instanceof TypeError);
  t.notOk(course.includes("last begins"));
});
