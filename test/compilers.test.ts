// Are V8's compilers left alone until there is much to do?
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import t from "tap";
import { compileWhenBusy, type Looks, startCompilers, stopCompilers } from "../src/compilers.ts";

/** Of the status of a function, as V8 has it. */
const OPTIMIZED = 1 << 4;

const LOOKS = { start: 20, rest: 200, some: 60_000, much: 60_000 };

/** What is asked for, in order. */
function listen(looks: Looks): readonly string[] {
  const asked: string[] = [];
  compileWhenBusy(looks, (which) => asked.push(which));
  return asked;
}

/** Milliseconds of work, with a halt in which others may look. */
async function work(milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  while (performance.now() < until) Math.sqrt(until);
  await sleep(1);
}

/** A function of its own each time, called often. Was it compiled? V8 says so to who speaks its own language. */
function isCompiled(): boolean {
  setFlagsFromString("--allow-natives-syntax");
  const ask = new Function(`
    function sum(n) { let s = 0; for (let i = 0; i < n; i++) s = (s + i * 7) % 1000; return s; }
    for (let call = 0; call < 3000; call++) sum(1000);
    return (%GetOptimizationStatus(sum) & ${OPTIMIZED}) !== 0;
  `);
  setFlagsFromString("--no-allow-natives-syntax");
  return ask() === true;
}

t.test("started by work from one look to the next, and once", async (t) => {
  const asked = listen(LOOKS);
  await sleep(3 * LOOKS.rest);
  t.strictSame(asked, [], "not while there is nothing to do");
  for (let look = 0; look < 20 && asked.length === 0; look++) await work(LOOKS.rest / 4);
  t.strictSame(asked, ["all"]);
  for (let look = 0; look < 12; look++) await work(LOOKS.rest / 4);
  t.strictSame(asked, ["all"]);
});

t.test("started by a start that takes long, the quick one before the others", async (t) => {
  const asked = listen({ ...LOOKS, rest: 60_000, some: 1000, much: 2000 });
  await work(50);
  await sleep(100);
  t.strictSame(asked, []);
  for (let look = 0; look < 60 && asked.length === 0; look++) await work(50);
  t.strictSame(asked, ["quick"]);
  for (let look = 0; look < 60 && asked.length === 1; look++) await work(50);
  t.strictSame(asked, ["quick", "all"]);
});

t.test("started by much that is kept, as soon as a start has read it", async (t) => {
  const asked = listen({ ...LOOKS, rest: 60_000 });
  await sleep(100);
  t.strictSame(asked, []);
  const kept = Array.from({ length: 400_000 }, (_, index) => ({ name: `service ${index}`, index }));
  for (let look = 0; look < 50 && asked.length === 0; look++) await sleep(20);
  t.strictSame(asked, ["all"], `${kept.length} objects`);
});

t.test("nothing is optimized while they are stopped, and by the quick one", async (t) => {
  stopCompilers();
  t.equal(isCompiled(), false);
  startCompilers("quick");
  t.equal(isCompiled(), false);
  startCompilers();
  let compiled = false;
  // Another thread does it, and what it made is taken at a later call.
  for (let look = 0; look < 50 && !compiled; look++) {
    compiled = isCompiled();
    await sleep(20);
  }
  t.ok(compiled);
});
