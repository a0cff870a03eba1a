// Measures some questions of one variant and layout at one size, inside one sandbox; prints the answers as JSON.
import { type LoadedNode, loadNode } from "./loaded-node.ts";
import type { Measurement } from "./measurement.ts";
import { askApi, askApiStart } from "./questions/api.ts";
import { askChurn } from "./questions/churn.ts";
import { askCold } from "./questions/cold.ts";
import { askConnect, askEndpoints } from "./questions/connect.ts";
import { askDaemonChange } from "./questions/daemon-change.ts";
import { askDaemonMemory } from "./questions/daemon-memory.ts";
import { askGrowth } from "./questions/growth.ts";
import { askIpvs } from "./questions/ipvs.ts";
import { askLoad } from "./questions/load.ts";
import { askOutage } from "./questions/outage.ts";
import { askRestart } from "./questions/restart.ts";
import { askService } from "./questions/service.ts";
import { askSlice } from "./questions/slice.ts";
import { askUnchanged } from "./questions/unchanged.ts";
import { prepareFolder } from "./sandbox.ts";
import { LAYOUTS, type Subject } from "./subject.ts";
import { chooseVariant, VARIANTS } from "./variant.ts";

type Answers = Promise<readonly Measurement[]>;

/** About a kernel that nobody touched: each needs a sandbox of its own. */
const FRESH: ReadonlyMap<string, (subject: Subject) => Answers> = new Map([
  ["cold", askCold],
  ["growth", askGrowth],
  ["endpoints", askEndpoints],
  ["memory", askDaemonMemory],
  ["daemon", askDaemonChange],
  ["api-streamed", (subject) => askApi(subject, "streamed")],
  ["api-plain", (subject) => askApi(subject, "plain")],
  ["start-streamed", (subject) => askApiStart(subject, "streamed")],
  ["start-plain", (subject) => askApiStart(subject, "plain")],
  ["start-paged", (subject) => askApiStart(subject, "paged")],
  ["churn", askChurn],
  ["outage", askOutage],
  ["load", askLoad],
  ["ipvs", ({ size }) => askIpvs(size)],
]);

/** About a node that serves the whole cluster; one after the other in the same sandbox. */
const LOADED: ReadonlyMap<string, (loaded: LoadedNode) => Answers> = new Map([
  ["connect", askConnect],
  ["slice", askSlice],
  ["service", askService],
  ["unchanged", askUnchanged],
  ["restart", askRestart],
]);

const [variant, layout, services, endpoints, endpointsOfOne, seconds, kubeProxyBinary, ...questions] =
  process.argv.slice(2);
prepareFolder();
chooseVariant(oneOf(VARIANTS, variant));
try {
  const answers = await ask(
    {
      layout: oneOf(LAYOUTS, layout),
      size: { services: Number(services), endpoints: Number(endpoints) },
      endpointsOfOne: Number(endpointsOfOne),
      seconds: Number(seconds),
      ...(kubeProxyBinary && { kubeProxyBinary }),
    },
    questions,
  );
  // What still waits for input, such as a shell, ends with this process.
  process.stdout.write(JSON.stringify(answers), () => process.exit(0));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function ask(subject: Subject, questions: readonly string[]): Answers {
  const fresh = FRESH.get(questions[0] ?? "");
  if (fresh) return fresh(subject);
  const loaded = await loadNode(subject);
  const measurements: Measurement[] = [];
  for (const question of questions) measurements.push(...((await LOADED.get(question)?.(loaded)) ?? []));
  return measurements;
}

function oneOf<T extends string>(known: readonly T[], text: string | undefined): T {
  const found = known.find((each) => each === text);
  if (found === undefined) throw new RangeError(`${text} is none of ${known.join(", ")}`);
  return found;
}
