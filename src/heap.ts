// How much memory may V8 keep that nothing is in?
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { workMeter } from "./work-meter.ts";

/** Part of the time that a process may work and still count as quiet. */
const QUIET = 0.05;

/** A heap that grew to so much more than it had when it was tidied is worth the halt. */
const GROWN = 1.3;

/** One that became so much smaller by it may become smaller still: V8 moves only some of what lies far apart at a time. */
const SHRUNK = 0.95;

/**
 * While a process starts: the heap may grow by a third over what is in use before it is looked through; by itself V8
 * lets it grow to three times as much. Tighter still, the start would take a third longer.
 */
export function restrainHeap(): void {
  setFlagsFromString("--heap-growing-percent=30");
}

/**
 * Tidies the heap up when the process was quiet from one look to the next, so many milliseconds later: once the start is
 * over, and whenever the heap has grown since. It grows at once where the whole kernel is looked at, and V8 alone would
 * give that back only bit by bit, as new objects are made.
 */
export function tidyWhenQuiet(look: number, tidy: () => void = tidyHeap): void {
  const worked = workMeter();
  let tidied = 0;
  let shrinks = false;
  const timer = setInterval(() => {
    const size = heapSize();
    if (worked() > QUIET * look || !(shrinks || size > GROWN * tidied)) return;
    tidy();
    tidied = heapSize();
    shrinks = tidied < SHRUNK * size;
    // To tidy up is not to be busy.
    worked();
  }, look);
  timer.unref();
}

/**
 * Gives back what can be at one go. Halts the process: 0.1 s at 10000 Services. V8 saves memory only meanwhile, for
 * whatever is worked on in that state takes twice the time.
 */
export function tidyHeap(): void {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  setFlagsFromString("--no-optimize-for-size");
}

function heapSize(): number {
  return getHeapStatistics().total_heap_size;
}
