// Rejected items of IPVS mode: how long they are left out, and what gives them another chance.
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { withheldOf } from "../../src/state/ipvs-withheld.ts";
import { emptyState } from "../../src/state/kernel-state.ts";
import { Withheld } from "../../src/sync/withheld.ts";
import { buildIpvsState, buildServed } from "../support/build-ipvs.ts";

const SECOND = 1_000;
const HOUR = 3_600_000;
const STATE = buildIpvsState([]);
const itemOf = (key: string, words = "no") => ({
  key,
  error: new KernelError({ step: "bind", target: key, code: "EINVAL", words }),
});

t.test("nothing is done without unless it was refused", async (t) => {
  const withheld = new Withheld();
  t.equal(withheld.withhold(STATE, 0), STATE);
  withheld.add([], STATE, 0);
  t.strictSame([withheld.size, withheld.all()], [0, []]);
  withheld.add([itemOf("a")], STATE, 0);
  const other = emptyState("IPv4");
  t.equal(withheld.withhold(other, 0), other, "in another mode there is nothing");
});

t.test("a rejected item is tried again after 2 s, then after twice as long, up to five minutes", async (t) => {
  const withheld = new Withheld();
  const waits: number[] = [];
  for (let now = 0; waits.length < 9; ) {
    withheld.add([itemOf("a")], STATE, now);
    let wait = 0;
    while (withheldOf(withheld.withhold(STATE, now + wait)).rejected.has("a")) wait += SECOND;
    waits.push(wait / SECOND);
    now += wait;
  }
  t.strictSame(waits, [2, 4, 8, 16, 32, 64, 128, 256, 300]);
});

t.test("what was taken is forgotten, and begins from the start if it is refused once more", async (t) => {
  const withheld = new Withheld();
  withheld.add([itemOf("a"), itemOf("b")], STATE, 0);
  t.equal(withheld.nextRetry(0), 2 * SECOND);
  withheld.add([itemOf("b")], STATE, 2 * SECOND);
  const state = withheld.withhold(STATE, 2 * SECOND);
  t.strictSame(withheldOf(state).rejected, new Set(["b"]));
  withheld.settle(state);
  t.strictSame(
    withheld.all().map(({ key }) => key),
    ["b"],
  );
  withheld.settle(STATE);
  t.equal(withheld.size, 0);
  withheld.add([itemOf("b")], STATE, 40 * SECOND);
  t.equal(withheld.withhold(STATE, 42 * SECOND), STATE, "two seconds again");
});

t.test("the newest refusal is the one that is told", async (t) => {
  const withheld = new Withheld();
  withheld.add([itemOf("a", "first")], STATE, 0);
  withheld.add([itemOf("a", "second")], STATE, 0);
  t.match(withheld.all(), [{ key: "a", error: { refusal: { words: "second" } } }]);
});

t.test("it is the same set as long as nothing in it changes", async (t) => {
  const withheld = new Withheld();
  withheld.add([itemOf("a")], STATE, 0);
  withheld.add([itemOf("b")], STATE, 1 * SECOND);
  const [one, same, less] = [0, 1.9, 2.1].map((seconds) => withheldOf(withheld.withhold(STATE, seconds * SECOND)));
  t.equal(one, same);
  t.not(one, less);
  t.strictSame(less?.rejected, new Set(["b"]));
});

const SERVED = buildServed("10.0.0.1", ["10.1.0.1"]);
const KEY = "10.0.0.1:80/TCP";
const ENTRY = "KUBE-CLUSTER-IP 10.0.0.1,tcp:80";

t.test("a Service that desires something else is tried again at once", async (t) => {
  const withheld = new Withheld();
  const state = buildIpvsState([SERVED]);
  withheld.withhold(state, 0);
  withheld.add([itemOf(KEY)], state, 0);
  const before = withheldOf(withheld.withhold(state, 1));
  t.ok(before.rejected.has(KEY));
  const endpoints = buildIpvsState([buildServed("10.0.0.1", ["10.1.0.2"])]);
  const after = withheldOf(withheld.withhold(endpoints, 2));
  t.ok(after.rejected.has(KEY), "other endpoints change nothing about the virtual server itself");
  t.not(after, before, "but have the kernel observed, for they are behind a server that may exist");
  const affine = buildIpvsState([buildServed("10.0.0.1", ["10.1.0.2"], { persistence: 60 })]);
  t.equal(withheld.withhold(affine, 3), affine);
  t.equal(withheld.size, 0);
});

t.test("the rejection of a removal is forgotten when the Service is back", async (t) => {
  const withheld = new Withheld();
  withheld.add([itemOf("10.0.0.1")], STATE, 0);
  t.ok(withheldOf(withheld.withhold(STATE, 1)).rejected.has("10.0.0.1"));
  const state = buildIpvsState([SERVED]);
  t.equal(withheld.withhold(state, 2), state);
});

t.test(
  "an address is let through while an entry that admits its port is missing, also when that is tried again",
  async (t) => {
    const withheld = new Withheld();
    const state = buildIpvsState([SERVED]);
    withheld.add([itemOf(ENTRY)], state, 0);
    const dependent = new Set(["KUBE-IPVS-IPS 10.0.0.1"]);
    t.strictSame(withheldOf(withheld.withhold(state, 1)), { rejected: new Set([ENTRY]), dependent });
    const again = withheld.withhold(state, HOUR);
    t.strictSame(withheldOf(again), { rejected: new Set(), dependent });
    withheld.settle(again);
    t.equal(withheld.nextRetry(HOUR), 0, "once it is in, the address is filtered again");
    t.equal(withheld.withhold(state, HOUR), state);
    t.equal(withheld.nextRetry(HOUR), undefined);
  },
);

t.test("the next try is that of the first item", async (t) => {
  const withheld = new Withheld();
  const state = buildIpvsState([SERVED]);
  t.equal(withheld.nextRetry(0), undefined);
  withheld.add([itemOf(KEY)], state, 0);
  withheld.add([itemOf("10.0.0.1")], state, 1 * SECOND);
  t.equal(withheld.nextRetry(1 * SECOND), 1 * SECOND);
  t.ok(withheldOf(withheld.withhold(state, 2 * SECOND - 1)).rejected.has(KEY));
  t.notOk(withheldOf(withheld.withhold(state, 2 * SECOND)).rejected.has(KEY));
  t.equal(withheld.nextRetry(HOUR), 0);
});
