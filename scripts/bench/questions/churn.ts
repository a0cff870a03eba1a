// Changes EndpointSlices without pause, and checks that the kernel has the right rules soon after the last change.
import { setTimeout as sleep } from "node:timers/promises";
import { ApiProcess, type Written } from "../api-process.ts";
import { monotonic } from "../clock.ts";
import { manifestsAfter } from "../cluster.ts";
import { BenchDaemon, type Pass, REST, type Weight } from "../daemon.ts";
import { findDifference, rulesFor } from "../kernel-check.ts";
import type { Measurement } from "../measurement.ts";
import type { Subject } from "../subject.ts";

/** Changes a second. */
const RATE = 1000;

/** Milliseconds: the least gap between two passes by default. */
const LEAST_GAP = 1_000;

/** Milliseconds without the end of a pass, after which none is running: one with all changes in it may take long. */
const QUIET = 20_000;

/** What was seen from the first change to rest. */
interface Churn {
  readonly begin: Weight;
  readonly middle: Weight;
  readonly end: Weight;
  /** Milliseconds of the daemon's processor time. */
  readonly worked: number;
  readonly elapsed: number;
  /** Those from the first change on. */
  readonly passes: readonly Pass[];
  readonly written: Written;
}

/** Rejects when the kernel is not right at last. */
export async function askChurn({ size, layout, seconds }: Subject): Promise<readonly Measurement[]> {
  const server = await ApiProcess.start(size, "streamed");
  const daemon = new BenchDaemon(server.source, layout);
  await daemon.passed(1);
  await sleep(REST);
  const wanted = await rulesFor(manifestsAfter(size, RATE * seconds), layout);
  const churn = await watchChurn({ server, daemon, seconds, wanted });
  await sleep(REST);
  const rested = daemon.weigh();
  await daemon.stop();
  return [...memoryOf(churn, rested), ...workOf(churn, seconds)];
}

interface ChurnInput {
  readonly server: ApiProcess;
  readonly daemon: BenchDaemon;
  readonly seconds: number;
  /** Rules after the last change. */
  readonly wanted: ReadonlySet<string>;
}

async function watchChurn({ server, daemon, seconds, wanted }: ChurnInput): Promise<Churn> {
  const [begin, started, passed, worked] = [daemon.weigh(), monotonic(), daemon.passes.length, daemon.worked()];
  const ordered = server.carryOut({ type: "churn", first: 1, rate: RATE, seconds });
  await sleep((seconds * 1000) / 2);
  const middle = daemon.weigh();
  const written = await ordered;
  const [end, work] = [daemon.weigh(), daemon.worked() - worked];
  const passes = (await passesUntilRight(daemon, wanted)).slice(passed);
  return { begin, middle, end, worked: work, elapsed: written.at - started, passes, written };
}

/** All passes until there are no more: the last one has made the kernel right. Nothing is looked at before it is over. */
async function passesUntilRight(daemon: BenchDaemon, wanted: ReadonlySet<string>): Promise<readonly Pass[]> {
  for (let before = -1; before < daemon.passes.length; ) {
    before = daemon.passes.length;
    await sleep(QUIET);
  }
  const difference = findDifference(wanted);
  if (difference !== undefined) throw new Error(difference);
  return daemon.passes;
}

function memoryOf({ begin, middle, end }: Churn, rested: Weight): readonly Measurement[] {
  const unit = "MB";
  const against = "before the first change";
  const baseline = [begin.now];
  return [
    { question: "churn: resident memory, half way", unit, ours: [middle.now], baseline, against },
    { question: "churn: resident memory, at the end", unit, ours: [end.now], baseline, against },
    { question: "churn: resident memory, at rest again", unit, ours: [rested.now], baseline, against },
    { question: "churn: most memory ever", unit, ours: [rested.peak], baseline: [begin.peak], against },
  ];
}

function workOf({ worked, elapsed, passes, written }: Churn, seconds: number): readonly Measurement[] {
  const inTime = passes.filter(({ end }) => end <= written.at).length;
  const last = passes.at(-1);
  const running = passes.find(({ end, elapsed }) => end - elapsed < written.at && written.at < end);
  const left = (running?.end ?? written.at) - written.at;
  const lengths = passes.map((pass) => pass.elapsed);
  return [
    {
      question: "churn: passes",
      unit: "passes",
      ours: [inTime],
      baseline: [seconds],
      against: "one each second",
    },
    {
      question: "churn: one pass",
      unit: "ms",
      ours: lengths,
      baseline: [LEAST_GAP],
      against: "least gap between passes",
    },
    {
      question: "churn: own processor time",
      unit: "%",
      ours: [(100 * worked) / elapsed],
      baseline: [100],
      against: "one processor",
    },
    {
      question: "churn: waiting in the server at most",
      unit: "MB",
      ours: [written.waiting / 1e6],
      baseline: [0],
      against: "all taken at once",
    },
    {
      question: "churn: last change to a right kernel",
      unit: "ms",
      ours: [(last?.end ?? Number.NaN) - written.at],
      baseline: [left + LEAST_GAP + (last?.elapsed ?? Number.NaN)],
      against: "rest of a running pass, least gap, that pass",
    },
  ];
}
