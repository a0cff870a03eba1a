// How long does the daemon take to follow an API server, how much memory does it hold then, and how long to the kernel?
import { setTimeout as sleep } from "node:timers/promises";
import type { Lists } from "../api-collection.ts";
import { ApiProcess } from "../api-process.ts";
import { timeChangeRestores, timeKubeProxyChanges } from "../change-restores.ts";
import { monotonic } from "../clock.ts";
import { timeColdRestores } from "../cold-restores.ts";
import { BenchDaemon, REST, weighBareNode } from "../daemon.ts";
import type { Measurement } from "../measurement.ts";
import type { Subject } from "../subject.ts";

const CHANGES = 9;

/** Milliseconds: longer than the least gap between two passes, which is a second. */
const GAP = 1_500;

/** A daemon that has all rules in. */
interface Started {
  readonly server: ApiProcess;
  readonly daemon: BenchDaemon;
  readonly measurements: readonly Measurement[];
}

export async function askApi(subject: Subject, lists: Lists): Promise<readonly Measurement[]> {
  const { server, daemon, measurements } = await start(subject, lists);
  await sleep(REST);
  const memory = await weigh(daemon, lists);
  const ours = await changeSlices(server, daemon);
  await daemon.stop();
  const same = await timeChangeRestores(subject, CHANGES);
  const kubeProxy = await timeKubeProxyChanges(subject, CHANGES);
  const question = `api, ${lists} list: one slice changed`;
  return [
    ...measurements,
    ...memory,
    { question, unit: "ms", ours, baseline: same, against: "bare restore of the same lines" },
    { question: `${question} *`, unit: "ms", ours, baseline: kubeProxy, against: "bare restore, kube-proxy's shape" },
  ];
}

/** The first of these questions alone. */
export async function askApiStart(subject: Subject, lists: Lists): Promise<readonly Measurement[]> {
  const { daemon, measurements } = await start(subject, lists);
  await daemon.stop();
  return measurements;
}

async function start(subject: Subject, lists: Lists): Promise<Started> {
  const server = await ApiProcess.start(subject.size, lists);
  const begin = monotonic();
  const daemon = new BenchDaemon(server.source, subject.layout);
  await daemon.passed(1);
  const [elapsed, worked] = [monotonic() - begin, daemon.worked()];
  const question = `api, ${lists} list: start to all rules in`;
  const baseline = [await timeColdRestores(subject)];
  const measurements: readonly Measurement[] = [
    { question, unit: "ms", ours: [elapsed], baseline, against: "bare restore of the same text" },
    { question: `${question}, own work`, unit: "ms", ours: [worked], baseline: [elapsed], against: "the whole time" },
  ];
  return { server, daemon, measurements };
}

async function weigh(daemon: BenchDaemon, lists: Lists): Promise<readonly Measurement[]> {
  const [mine, bare] = [daemon.weigh(), await weighBareNode()];
  const against = "a bare node process";
  const about = `api, ${lists} list`;
  return [
    { question: `${about}: resident memory`, unit: "MB", ours: [mine.now], baseline: [bare.now], against },
    { question: `${about}: its share of memory`, unit: "MB", ours: [mine.share], baseline: [bare.share], against },
    { question: `${about}: most memory ever`, unit: "MB", ours: [mine.peak], baseline: [bare.peak], against },
  ];
}

/** From the server's write to the end of the pass. */
async function changeSlices(server: ApiProcess, daemon: BenchDaemon): Promise<readonly number[]> {
  const times: number[] = [];
  for (let change = 1; change <= CHANGES; change++) {
    await sleep(GAP);
    const passes = daemon.passes.length;
    const { at } = await server.carryOut({ type: "change", change });
    await daemon.passed(passes + 1);
    times.push((daemon.passes[passes]?.end ?? Number.NaN) - at);
  }
  return times;
}
