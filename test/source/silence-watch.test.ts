import t from "tap";
import { SilenceWatch } from "../../src/source/silence-watch.ts";
import { HandClock } from "../support/clock.ts";

function watch(owner: AbortSignal = new AbortController().signal) {
  const clock = new HandClock();
  const timing = { now: () => clock.now(), after: clock.after.bind(clock), random: () => 0 };
  return { clock, watch: new SilenceWatch(timing, 5000, owner) };
}

t.test("silence ends a request, and says so", async (t) => {
  const { clock, watch: silence } = watch();
  await clock.advance(4999);
  t.equal(silence.signal.aborted, false);
  silence.heard();
  await clock.advance(4999);
  t.strictSame([silence.signal.aborted, silence.reason], [false, undefined], "patience began anew");
  await clock.advance(1);
  t.equal(silence.signal.aborted, true);
  t.match(silence.reason, { message: "nothing came for 5 s" });
});

t.test("a request ends with its owner", (t) => {
  const owner = new AbortController();
  const { watch: silence } = watch(owner.signal);
  owner.abort();
  t.match(silence.reason, { message: "stopped" });
  t.equal(watch(owner.signal).watch.signal.aborted, true, "and does not begin after it");
  t.end();
});

t.test("nothing happens after the end", async (t) => {
  const owner = new AbortController();
  const { clock, watch: silence } = watch(owner.signal);
  silence.stop();
  owner.abort();
  await clock.advance(10_000);
  t.equal(silence.signal.aborted, false);
  t.equal(clock.next(), undefined);
});
