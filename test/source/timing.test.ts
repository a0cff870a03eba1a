import t from "tap";
import { pause, systemTiming } from "../../src/source/timing.ts";

const never = new AbortController().signal;

t.test("a pause lasts as long as asked", async (t) => {
  const start = systemTiming.now();
  await pause(systemTiming, 30, never);
  t.ok(systemTiming.now() - start >= 29);
});

t.test("a pause ends when its owner does", async (t) => {
  const stop = new AbortController();
  const paused = pause(systemTiming, 600_000, stop.signal);
  stop.abort();
  await paused;
  await pause(systemTiming, 600_000, stop.signal);
  t.pass("both are over");
});

t.test("what was taken back does not happen", async (t) => {
  let happened = false;
  const cancel = systemTiming.after(5, () => {
    happened = true;
  });
  cancel();
  await pause(systemTiming, 20, never);
  t.equal(happened, false);
});

t.test("chance is from 0 to 1", (t) => {
  const chance = systemTiming.random();
  t.ok(chance >= 0 && chance < 1);
  t.end();
});
