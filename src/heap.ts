// How much memory may V8 keep that nothing is in?
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * While a process starts: the heap may grow by a third over what is in use before it is looked through; by itself V8
 * lets it grow to three times as much. Tighter still, the start would take a third longer.
 */
export function restrainHeap(): void {
  setFlagsFromString("--heap-growing-percent=30");
}

/** Part of the time that a process may work and still count as quiet. */
const QUIET = 0.05;

/** Does it once, as soon as the process was quiet from one look to the next, so many milliseconds later. */
export function whenQuiet(look: number, act: () => void): void {
  let before = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    if ((user + system) / 1000 > QUIET * look) return;
    clearInterval(timer);
    act();
  }, look);
  timer.unref();
}

/**
 * Gives back what the start left behind, and has the heap follow what is in use from now on. Halts the process, for
 * about a tenth of a second at 10000 Services.
 */
export function tidyHeap(): void {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}
