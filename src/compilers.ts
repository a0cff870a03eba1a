// When does V8 compile what a daemon runs? Its compilers cost ten megabytes: their own program, and what they make of ours.
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

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
}

/**
 * From here on everything runs as it was read, at half the speed or less: to be called before a program is read whose
 * reading alone would start the compilers.
 */
export function stopCompilers(): void {
  setFlagsFromString("--no-opt");
  setFlagsFromString("--no-sparkplug");
}

/** V8 compiles as it likes. */
export function startCompilers(): void {
  setFlagsFromString("--opt");
  setFlagsFromString("--sparkplug");
}

/** Starts them once the process has a large cluster in memory, or was busy from one look to the next. */
export function compileWhenBusy(looks: Looks, start: () => void = startCompilers): void {
  let before = process.cpuUsage();
  const look = (isLong: boolean) => {
    const { user, system } = process.cpuUsage(before);
    const isBusy = isLong && (user + system) / 1000 > BUSY * looks.rest;
    if (isLong) before = process.cpuUsage();
    if (!isBusy && oldSpace() < LARGE) return;
    clearInterval(often);
    clearInterval(seldom);
    start();
  };
  const often = setInterval(() => look(false), looks.start);
  const seldom = setInterval(() => {
    clearInterval(often);
    look(true);
  }, looks.rest);
  often.unref();
  seldom.unref();
}

function oldSpace(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_size ?? 0;
}
