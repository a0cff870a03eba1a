import t from "tap";
import { Schedule, systemClock } from "../../src/sync/schedule.ts";
import { HandClock, settle } from "../support/clock.ts";

const PERIODS = { least: 1000, retry: 30_000, full: 3_600_000 };

function setUp(outcomes: readonly boolean[] = []) {
  const clock = new HandClock();
  const runs: number[] = [];
  const schedule = new Schedule(
    async () => {
      runs.push(clock.now());
      return outcomes[runs.length - 1] ?? true;
    },
    PERIODS,
    clock,
  );
  return { clock, runs, schedule };
}

t.test("nothing runs before somebody asks", async (t) => {
  const { clock, runs } = setUp();
  await clock.advance(10_000);
  t.same(runs, []);
});

t.test("a lone request runs at once, the next waits for the gap, and many become one", async (t) => {
  const { clock, runs, schedule } = setUp();
  schedule.request();
  await clock.advance(0);
  t.same(runs, [0]);
  await clock.advance(400);
  schedule.request();
  schedule.request();
  await clock.advance(599);
  t.same(runs, [0]);
  await clock.advance(1);
  t.same(runs, [0, 1000]);
});

t.test("after a long rest a request runs at once", async (t) => {
  const { clock, runs, schedule } = setUp();
  schedule.request();
  await clock.advance(5000);
  schedule.request();
  await clock.advance(0);
  t.same(runs, [0, 5000]);
});

t.test("a failed run is repeated after 1 s, 2 s, 4 s and so on up to the retry period", async (t) => {
  const { clock, runs, schedule } = setUp(Array.from({ length: 8 }, () => false));
  schedule.request();
  await clock.advance(121_000);
  t.same(runs, [0, 1000, 3000, 7000, 15_000, 31_000, 61_000, 91_000, 121_000]);
  await clock.advance(3_600_000);
  t.same(runs.slice(9), [3_721_000], "after a success in the full period");
});

t.test("a failed run is repeated sooner on request, and the waits begin again after a success", async (t) => {
  const { clock, runs, schedule } = setUp([false, false, true, false]);
  schedule.request();
  await clock.advance(1500);
  schedule.request();
  await clock.advance(500);
  t.same(runs, [0, 1000, 2000]);
  schedule.request();
  await clock.advance(3000);
  t.same(runs.slice(3), [3000, 4000]);
});

t.test("with no request at all it runs once in the full period", async (t) => {
  const { clock, runs, schedule } = setUp();
  schedule.request();
  await clock.advance(7_200_000);
  t.same(runs, [0, 3_600_000, 7_200_000]);
});

t.test("a request during a run is not lost, and the gap is counted from the end of the run", async (t) => {
  const clock = new HandClock();
  const starts: number[] = [];
  let finish = () => {};
  const run = () => {
    starts.push(clock.now());
    return new Promise<boolean>((resolve) => {
      finish = () => resolve(true);
    });
  };
  const schedule = new Schedule(run, PERIODS, clock);
  schedule.request();
  await clock.advance(500);
  schedule.request();
  finish();
  await settle();
  await clock.advance(999);
  t.same(starts, [0]);
  await clock.advance(1);
  t.same(starts, [0, 1500]);
  finish();
});

t.test("stopping waits for the run under way and begins no other", async (t) => {
  const clock = new HandClock();
  let runs = 0;
  let finish = () => {};
  const run = () => {
    runs++;
    return new Promise<boolean>((resolve) => {
      finish = () => resolve(true);
    });
  };
  const schedule = new Schedule(run, PERIODS, clock);
  schedule.request();
  await clock.advance(0);
  schedule.request();
  let stopped = false;
  const stop = schedule.stop().then(() => {
    stopped = true;
  });
  await settle();
  t.notOk(stopped);
  finish();
  await stop;
  await clock.advance(10_000_000);
  t.equal(runs, 1);
  schedule.request();
  await clock.advance(10_000_000);
  t.equal(runs, 1);
});

t.test("the system's clock goes on, and a timer can be taken back", async (t) => {
  const before = systemClock.now();
  let rang = 0;
  systemClock.after(1, () => rang++)();
  await new Promise<void>((resolve) => systemClock.after(5, resolve));
  t.equal(rang, 0);
  t.ok(systemClock.now() > before);
});
