// How long is a refused Service port held back, and what stands in its place?
import t from "tap";
import { KernelError } from "../../src/errors.ts";
import { pagedList } from "../../src/paged-list.ts";
import type { Fragment } from "../../src/state/kernel-state.ts";
import { SetAside } from "../../src/sync/set-aside.ts";
import { buildFragment, buildState } from "../support/fragments.ts";

const error = new KernelError({ step: "iptables-restore", target: "", code: "1", words: "no" });
const [old, bad, good] = [buildFragment("s"), buildFragment("s"), buildFragment("other")];
const WANTED = buildState([good, bad]);
const SECOND = 1000;

function setUp(taken: readonly Fragment[] = [good]) {
  const aside = new SetAside();
  aside.add([{ fragment: bad, error }], pagedList(taken), 0);
  const left = (now: number, wanted = WANTED) => [...aside.withhold(wanted, now).fragments];
  return { aside, left };
}

t.test("while nothing is set aside a state is as it is", async (t) => {
  t.equal(new SetAside().withhold(WANTED, 0), WANTED);
});

t.test("it is left out where there was nothing before", async (t) => {
  const { left } = setUp();
  t.ok(left(0).length === 1 && left(0)[0] === good);
});

t.test("it is as it was taken before, where it was", async (t) => {
  const { left } = setUp([old]);
  t.ok(left(0)[1] === old);
});

t.test("the wait doubles from half a minute to ten minutes", async (t) => {
  const { aside, left } = setUp();
  let now = 0;
  for (const wait of [30, 60, 120, 240, 480, 600, 600]) {
    t.equal(left(now + wait * SECOND - 1).length, 1, `not before ${wait} seconds`);
    now += wait * SECOND;
    t.equal(left(now).length, 2, `after ${wait} seconds`);
    aside.add([{ fragment: bad, error }], pagedList([good]), now);
  }
});

t.test("once taken, it is forgotten", async (t) => {
  const { aside, left } = setUp();
  aside.settle(buildState([good]));
  t.equal(left(0).length, 1, "not while it is held back");
  aside.settle(WANTED);
  t.equal(left(0).length, 2);
});

t.test("another version has its chance at once, and the first wait again", async (t) => {
  const { aside, left } = setUp();
  const next = buildFragment("s");
  t.ok(left(0, buildState([good, next]))[1] === next);
  aside.add([{ fragment: next, error }], pagedList([good]), 0);
  t.equal(left(30 * SECOND, buildState([good, next])).length, 2);
});

t.test("one that is wanted no longer is forgotten", async (t) => {
  const { left } = setUp();
  left(0, buildState([good]));
  t.equal(left(0).length, 2, "when it comes again it has its chance");
});
