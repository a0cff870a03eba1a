// Is a port that is not to be had tried again, and given back in the end?
import t from "tap";
import { Binding } from "../../src/serve/binding.ts";
import { HandClock } from "../support/clock.ts";

/** A port that is taken for so many attempts. */
function setUp(taken: number) {
  const clock = new HandClock();
  const events: string[] = [];
  let attempts = 0;
  const open = async () => {
    attempts += 1;
    if (attempts <= taken) throw new Error(`taken ${attempts}`);
    events.push("open");
    return { close: async () => void events.push("closed") };
  };
  const refused = (error: unknown) => events.push(String(error));
  return { clock, events, binding: new Binding({ clock, open, refused }) };
}

t.test("a port that is free", async (t) => {
  const { clock, events, binding } = setUp(0);
  t.equal(await binding.start(), true);
  t.equal(clock.next(), undefined);
  await binding.close();
  t.strictSame(events, ["open", "closed"]);
});

t.test("every five seconds until it is to be had", async (t) => {
  const { clock, events, binding } = setUp(3);
  t.equal(await binding.start(), false);
  t.equal(clock.next(), 5_000);
  await clock.advance(14_999);
  t.strictSame(events, ["Error: taken 1", "Error: taken 2", "Error: taken 3"]);
  await clock.advance(1);
  t.equal(events.at(-1), "open");
  await binding.close();
  t.equal(events.at(-1), "closed");
});

t.test("closed while it waits", async (t) => {
  const { clock, events, binding } = setUp(9);
  await binding.start();
  await binding.close();
  t.equal(clock.next(), undefined);
  await clock.advance(60_000);
  t.strictSame(events, ["Error: taken 1"]);
});

t.test("closed during an attempt: what comes of it is closed, and no other follows", async (t) => {
  const good = setUp(0);
  const started = good.binding.start();
  await good.binding.close();
  await started;
  t.strictSame(good.events, ["open", "closed"]);
  const bad = setUp(1);
  const failed = bad.binding.start();
  await bad.binding.close();
  await failed;
  t.equal(bad.clock.next(), undefined);
});
