// Which real servers drain, and when is it time to look at them?
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import type { Applied } from "../../src/kernel/apply.ts";
import type { Plan, Step } from "../../src/plan/plan.ts";
import type { Retirement } from "../../src/state/server-change.ts";
import { Draining, LOOK_AGAIN } from "../../src/sync/draining.ts";
import { buildReal, buildServer } from "../support/build-ipvs.ts";

const SERVER = buildServer("10.0.0.1", []);
const [A, B]: readonly [Retirement, Retirement] = [
  { server: SERVER, real: buildReal("10.1.0.1") },
  { server: SERVER, real: buildReal("10.1.0.2") },
];
const KEY = "10.0.0.1:80/TCP to 10.1.0.1 8080";
const ERROR = new KernelError({ step: "ipvs", target: "", code: "ETIMEDOUT", words: "no answer" });

const retire = (...reals: readonly Retirement[]): Step => ({ kind: "retire", reals, again: false });
const planOf = (...steps: readonly Step[]): Plan => ({ steps, kept: [] });
const NOTHING = planOf();

function applied(given: Partial<Applied> = {}): Applied {
  return { done: [], sent: new Map(), items: [], draining: [], ...given };
}

/** One that has been found busy at the time 0. */
function waiting(): Draining {
  const draining = new Draining();
  const step = retire(A);
  draining.note(planOf(step), applied({ done: [step], draining: [A] }), [], 0);
  return draining;
}

t.test("at first nothing drains", async (t) => {
  const draining = new Draining();
  t.strictSame([draining.size, draining.keys, draining.due(1e9)], [0, new Set(), []]);
});

t.test("what has connections is due a minute later, and again a minute behind each look", async (t) => {
  const draining = waiting();
  t.strictSame([draining.size, draining.keys], [1, new Set([KEY])]);
  t.strictSame([draining.due(LOOK_AGAIN - 1), draining.wait(LOOK_AGAIN - 1)], [[], 1]);
  t.strictSame([draining.due(LOOK_AGAIN), draining.wait(LOOK_AGAIN + 5)], [[A], 0]);
  draining.note(NOTHING, applied(), [], LOOK_AGAIN - 1);
  t.strictSame(draining.due(LOOK_AGAIN), [A], "a pass without a look puts nothing off");
  const step = retire(A);
  draining.note(planOf(step), applied({ done: [step], draining: [A] }), [A], LOOK_AGAIN);
  t.strictSame([draining.due(2 * LOOK_AGAIN - 1), draining.due(2 * LOOK_AGAIN)], [[], [A]]);
});

t.test("what went, or is wanted again, is forgotten", async (t) => {
  const gone = waiting();
  const step = retire(A);
  gone.note(planOf(step), applied({ done: [step] }), [], 10);
  t.equal(gone.size, 0);
  const wanted = waiting();
  wanted.note(NOTHING, applied(), [A], LOOK_AGAIN);
  t.equal(wanted.size, 0);
});

t.test("what was found draining, as after a restart, drains", async (t) => {
  const draining = new Draining();
  draining.note({ ...NOTHING, draining: [A] }, applied(), [], 500);
  t.strictSame([draining.keys, draining.due(500 + LOOK_AGAIN)], [new Set([KEY]), [A]]);
});

t.test("a refused pass forgets nothing, and what it was about to take the weight of may have none", async (t) => {
  const draining = waiting();
  const sets: Step = { kind: "sets", changes: [] };
  draining.note(planOf(sets, retire(A)), applied({ refused: { step: sets, error: ERROR } }), [A], LOOK_AGAIN);
  t.strictSame(draining.keys, new Set([KEY]));
  const step = retire(B);
  draining.note(planOf(step), applied({ refused: { step, error: ERROR } }), [], LOOK_AGAIN + 1);
  t.equal(draining.size, 2);
  const later = retire({ ...B, real: buildReal("10.1.0.3") });
  draining.note(planOf(sets, later), applied({ refused: { step: sets, error: ERROR } }), [], LOOK_AGAIN + 2);
  t.equal(draining.size, 2, "a step that was not tried took no weight");
});
