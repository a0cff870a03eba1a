// What is asked inside one sandbox? Some questions of one variant, at one size; the answers go to standard output.
import type { Variant } from "../../src/plan/transactions.ts";
import type { Size } from "./cluster.ts";
import { type LoadedNode, loadNode } from "./loaded-node.ts";
import type { Measurement } from "./measurement.ts";
import { askApi, askApiStart } from "./questions/api.ts";
import { askChurn } from "./questions/churn.ts";
import { askCold } from "./questions/cold.ts";
import { askDaemonChange } from "./questions/daemon-change.ts";
import { askDaemonMemory } from "./questions/daemon-memory.ts";
import { askGrowth } from "./questions/growth.ts";
import { askIpvs } from "./questions/ipvs.ts";
import { askRestart } from "./questions/restart.ts";
import { askService } from "./questions/service.ts";
import { askSlice } from "./questions/slice.ts";
import { askUnchanged } from "./questions/unchanged.ts";
import { prepareFolder } from "./sandbox.ts";
import { chooseVariant, VARIANTS } from "./variant.ts";

type Answers = Promise<readonly Measurement[]>;

/** About a kernel that nobody touched: each needs a sandbox of its own. */
const FRESH: ReadonlyMap<string, (size: Size, seconds: number) => Answers> = new Map([
  ["cold", askCold],
  ["growth", askGrowth],
  ["memory", askDaemonMemory],
  ["daemon", askDaemonChange],
  ["api-streamed", (size) => askApi(size, "streamed")],
  ["api-plain", (size) => askApi(size, "plain")],
  ["start-streamed", (size) => askApiStart(size, "streamed")],
  ["start-plain", (size) => askApiStart(size, "plain")],
  ["start-paged", (size) => askApiStart(size, "paged")],
  ["churn", askChurn],
  ["ipvs", askIpvs],
]);

/** About a node that serves the whole cluster; one after the other in the same sandbox. */
const LOADED: ReadonlyMap<string, (loaded: LoadedNode) => Answers> = new Map([
  ["slice", askSlice],
  ["service", askService],
  ["unchanged", askUnchanged],
  ["restart", askRestart],
]);

const [variant, services, endpoints, seconds, ...questions] = process.argv.slice(2);
prepareFolder();
chooseVariant(variantOf(variant));
try {
  const size = { services: Number(services), endpoints: Number(endpoints) };
  const answers = await ask(size, Number(seconds), questions);
  // What still waits for input, such as a shell, ends with this process.
  process.stdout.write(JSON.stringify(answers), () => process.exit(0));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function ask(size: Size, seconds: number, questions: readonly string[]): Answers {
  const fresh = FRESH.get(questions[0] ?? "");
  if (fresh) return fresh(size, seconds);
  const loaded = await loadNode(size);
  const measurements: Measurement[] = [];
  for (const question of questions) measurements.push(...((await LOADED.get(question)?.(loaded)) ?? []));
  return measurements;
}

function variantOf(text: string | undefined): Variant {
  const found = VARIANTS.find((each) => each === text);
  if (!found) throw new RangeError(`${text} is no variant of iptables`);
  return found;
}
