import t from "tap";
import { RequestRate } from "../../src/source/request-rate.ts";
import { settle } from "../support/clock.ts";
import { HandTiming } from "../support/timing.ts";

const NEVER = new AbortController().signal;

/** When each of so many requests, all asked for at once, may go; in milliseconds. */
async function departures(rate: { qps: number; burst: number }, count: number, rest = 0): Promise<readonly number[]> {
  const timing = new HandTiming();
  const requests = new RequestRate(rate, timing);
  await timing.advance(rest);
  const start = timing.now();
  const gone = Array.from({ length: count }, () => requests.take(NEVER).then(() => timing.now() - start));
  await settle();
  await timing.advance(10_000);
  return (await Promise.all(gone)).map(Math.round);
}

t.test("a burst goes at once, what is beyond it evenly and in its turn", async (t) => {
  t.strictSame(await departures({ qps: 5, burst: 3 }, 6), [0, 0, 0, 200, 400, 600]);
  t.strictSame(await departures({ qps: 0.5, burst: 1 }, 3), [0, 2000, 4000]);
  t.strictSame(await departures({ qps: 5, burst: 3 }, 4, 60_000), [0, 0, 0, 200], "a long rest saves up no more");
  t.strictSame(await departures({ qps: 5, burst: -1 }, 2), [0, 200], "one at a time at least");
});

t.test("a request is told how long it waited for its turn", async (t) => {
  const timing = new HandTiming();
  const requests = new RequestRate({ qps: 5, burst: 1 }, timing);
  const waits = Promise.all([requests.take(NEVER), requests.take(NEVER)]);
  await timing.advance(1000);
  t.strictSame((await waits).map(Math.round), [0, 200]);
  t.equal(await new RequestRate({ qps: -1, burst: 1 }, timing).take(NEVER), 0);
});

t.test("zeros mean five a second and ten at once, a negative rate no limit", async (t) => {
  t.strictSame(await departures({ qps: 0, burst: 0 }, 11), [...Array(10).fill(0), 200]);
  t.strictSame(await departures({ qps: -1, burst: 1 }, 3), [0, 0, 0]);
});

t.test("a request that is given up waits no longer", async (t) => {
  const requests = new RequestRate({ qps: 1, burst: 1 }, new HandTiming());
  const stop = new AbortController();
  await requests.take(NEVER);
  const waiting = requests.take(stop.signal);
  stop.abort();
  await waiting;
  t.pass("returned");
});
