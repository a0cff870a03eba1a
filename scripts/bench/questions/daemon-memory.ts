// How long does the daemon take to start on one large manifest, and how much memory does it hold then?
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { allManifests } from "../cluster.ts";
import { timeColdRestores } from "../cold-restores.ts";
import { BenchDaemon, REST, weighBareNode } from "../daemon.ts";
import type { Measurement } from "../measurement.ts";
import { FOLDER } from "../sandbox.ts";
import type { Subject } from "../subject.ts";

export async function askDaemonMemory(subject: Subject): Promise<readonly Measurement[]> {
  const path = join(FOLDER, "cluster.json");
  writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items: allManifests(subject.size) }));
  const start = performance.now();
  const daemon = new BenchDaemon(["--manifests", path], subject.layout);
  await daemon.passed(1);
  const started = performance.now() - start;
  await sleep(REST);
  const weight = daemon.weigh();
  await daemon.stop();
  const bare = await weighBareNode();
  const against = "a bare node process";
  return [
    {
      question: "daemon: start to all rules in, one file",
      unit: "ms",
      ours: [started],
      baseline: [await timeColdRestores(subject)],
      against: "bare restore of the same text",
    },
    { question: "daemon: resident memory", unit: "MB", ours: [weight.now], baseline: [bare.now], against },
    { question: "daemon: its share of memory", unit: "MB", ours: [weight.share], baseline: [bare.share], against },
    { question: "daemon: most memory ever", unit: "MB", ours: [weight.peak], baseline: [bare.peak], against },
  ];
}
