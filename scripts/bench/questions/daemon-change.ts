// How long from a changed file, one of many, to the kernel?
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { timeChangeRestores } from "../change-restores.ts";
import { changedService, type Manifest, manifestsOf, type Size } from "../cluster.ts";
import { timeColdRestores } from "../cold-restores.ts";
import { BenchDaemon } from "../daemon.ts";
import type { Measurement } from "../measurement.ts";
import { FOLDER } from "../sandbox.ts";
import type { Subject } from "../subject.ts";

const REPEATS = 5;

/** Milliseconds: longer than the least gap between two passes, which is a second. */
const GAP = 1_500;

const CLUSTER = join(FOLDER, "cluster");

/** A file for each Service. The time includes that for which the files must be quiet before they are read: 100 ms. */
export async function askDaemonChange(subject: Subject): Promise<readonly Measurement[]> {
  const { size, layout } = subject;
  mkdirSync(CLUSTER);
  for (let service = 0; service < size.services; service++) writeManifests(service, manifestsOf(service, size));
  const start = performance.now();
  const daemon = new BenchDaemon(["--manifests", CLUSTER], layout);
  await daemon.passed(1);
  const started = performance.now() - start;
  const ours = await changeFiles(daemon, size);
  await daemon.stop();
  return [
    {
      question: "daemon: start to all rules in, many files",
      unit: "ms",
      ours: [started],
      baseline: [await timeColdRestores(subject)],
      against: "bare restore of the same text",
    },
    {
      question: "daemon: one file changed",
      unit: "ms",
      ours,
      baseline: await timeChangeRestores(subject, REPEATS),
      against: "bare restore of the same lines",
    },
  ];
}

async function changeFiles(daemon: BenchDaemon, size: Size): Promise<readonly number[]> {
  const times: number[] = [];
  for (let change = 1; change <= REPEATS; change++) {
    await sleep(GAP);
    const service = changedService(size, change);
    const start = performance.now();
    writeManifests(service, manifestsOf(service, size, change));
    await daemon.passed(change + 1);
    times.push(performance.now() - start);
  }
  return times;
}

/** As careful writers do it, under another name first. */
function writeManifests(service: number, items: readonly Manifest[]): void {
  const hidden = join(CLUSTER, ".new");
  writeFileSync(hidden, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  renameSync(hidden, join(CLUSTER, `${service}.json`));
}
