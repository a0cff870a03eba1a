// What of IPVS mode is done without, and until when?
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { withheldOf } from "../../src/state/ipvs-withheld.ts";
import { emptyState } from "../../src/state/kernel-state.ts";
import { Withheld } from "../../src/sync/withheld.ts";
import { buildIpvsState } from "../support/build-ipvs.ts";

const SECOND = 1_000;
const STATE = buildIpvsState([]);
const itemOf = (key: string, words = "no") => ({
  key,
  error: new KernelError({ step: "bind", target: key, code: "EINVAL", words }),
});

t.test("nothing is done without unless it was refused", async (t) => {
  const withheld = new Withheld();
  t.equal(withheld.withhold(STATE, 0), STATE);
  withheld.add([], 0);
  t.strictSame([withheld.size, withheld.all()], [0, []]);
  withheld.add([itemOf("a")], 0);
  const other = emptyState("IPv4");
  t.equal(withheld.withhold(other, 0), other, "in another mode there is nothing");
});

t.test("a rejected item is tried again after 2 s, then after twice as long, up to five minutes", async (t) => {
  const withheld = new Withheld();
  const waits: number[] = [];
  for (let now = 0; waits.length < 9; ) {
    withheld.add([itemOf("a")], now);
    let wait = 0;
    while (withheldOf(withheld.withhold(STATE, now + wait)).has("a")) wait += SECOND;
    waits.push(wait / SECOND);
    now += wait;
  }
  t.strictSame(waits, [2, 4, 8, 16, 32, 64, 128, 256, 300]);
});

t.test("what was taken is forgotten, and begins from the start if it is refused once more", async (t) => {
  const withheld = new Withheld();
  withheld.add([itemOf("a"), itemOf("b")], 0);
  t.equal(withheld.nextRetry(0), 2 * SECOND);
  withheld.add([itemOf("b")], 2 * SECOND);
  const state = withheld.withhold(STATE, 2 * SECOND);
  t.strictSame(withheldOf(state), new Set(["b"]));
  withheld.settle(state);
  t.strictSame(
    withheld.all().map(({ key }) => key),
    ["b"],
  );
  withheld.settle(STATE);
  t.equal(withheld.size, 0);
  withheld.add([itemOf("b")], 40 * SECOND);
  t.equal(withheld.withhold(STATE, 42 * SECOND), STATE, "two seconds again");
});

t.test("the newest refusal is the one that is told", async (t) => {
  const withheld = new Withheld();
  withheld.add([itemOf("a", "first")], 0);
  withheld.add([itemOf("a", "second")], 0);
  t.match(withheld.all(), [{ key: "a", error: { refusal: { words: "second" } } }]);
});

t.test("it is the same set as long as nothing in it changes", async (t) => {
  const withheld = new Withheld();
  withheld.add([itemOf("a")], 0);
  withheld.add([itemOf("b")], 1 * SECOND);
  const [one, same, less] = [0, 1.9, 2.1].map((seconds) => withheldOf(withheld.withhold(STATE, seconds * SECOND)));
  t.equal(one, same);
  t.not(one, less);
  t.strictSame(less, new Set(["b"]));
});
