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

/**
 * When the start is over: gives back what it left behind, and has the heap follow what is in use from now on. Halts the
 * process once, for about a tenth of a second at 10000 Services.
 */
export function tidyHeap(): void {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}
