// When does V8 compile what a daemon runs? Its compilers cost ten megabytes: their own program, and what they make. The
// quick one, which does not optimize, costs two of them.
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { workMeter } from "./work-meter.ts";

/** Part of the time that a process works, and compiling pays. */
const BUSY = 0.5;

/** Bytes of what lives long: a few thousand Services. */
const LARGE = 40_000_000;

/** Milliseconds. */
export interface Looks {
  /** Between two looks while the process starts, which is when a large cluster is read. */
  readonly start: number;
  /** Between two looks later on; so long the start takes too. */
  readonly rest: number;
  /** Processor time of a start that has more to read than a handful of Services. */
  readonly some: number;
  /** And of one that has a large cluster to read. */
  readonly much: number;
}

/**
 * From here on everything runs as it was read, at half the speed or less: to be called before a program is read whose
 * reading alone would start the compilers.
 */
export function stopCompilers(): void {
  setFlagsFromString("--no-opt");
  setFlagsFromString("--no-sparkplug");
}

/** V8 compiles as it likes; or with its quick compiler alone. */
export function startCompilers(which: "all" | "quick" = "all"): void {
  setFlagsFromString("--sparkplug");
  if (which === "all") setFlagsFromString("--opt");
}

/** Starts them once the process reads a large cluster, or has it in memory, or was busy from one look to the next. */
export function compileWhenBusy(looks: Looks, start: (which: "all" | "quick") => void = startCompilers): void {
  const worked = workMeter();
  let [atStart, isQuick] = [0, false];
  const begin = () => {
    clearInterval(often);
    clearInterval(seldom);
    start("all");
  };
  const often = setInterval(() => {
    atStart += worked();
    if (atStart > looks.much || isLarge()) return begin();
    if (isQuick || atStart <= looks.some) return;
    isQuick = true;
    start("quick");
  }, looks.start);
  const seldom = setInterval(() => {
    clearInterval(often);
    if (worked() > BUSY * looks.rest || isLarge()) begin();
  }, looks.rest);
  often.unref();
  seldom.unref();
}

function isLarge(): boolean {
  const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space");
  return old !== undefined && old.space_size >= LARGE;
}
