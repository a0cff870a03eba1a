// Runs the questions, each group in a sandbox of its own, and collects the rows of the table.
import { hasIpvs } from "../../src/kernel/ipvs.ts";
import type { Variant } from "../../src/plan/transactions.ts";
import type { Question, Wanted } from "./flags.ts";
import { joinRepeats, type Measurement, summarise } from "./measurement.ts";
import { type Place, runInSandbox } from "./sandbox.ts";
import type { Layout } from "./subject.ts";
import { printAnswer, type Row } from "./table.ts";

/** Questions of which each part, as the scene calls it, needs a sandbox of its own. */
const FRESH: ReadonlyMap<Question, readonly string[]> = new Map([
  ["cold", ["cold"]],
  ["growth", ["growth"]],
  ["endpoints", ["endpoints"]],
  ["memory", ["memory"]],
  ["daemon", ["daemon"]],
  ["api", ["api-streamed", "api-plain", "start-paged"]],
  ["churn", ["churn"]],
  ["outage", ["outage"]],
  ["load", ["load"]],
  ["ipvs", ["ipvs"]],
]);

/** Parts that are asked again, because a single time says little. */
const AGAIN: ReadonlyMap<Question, readonly string[]> = new Map([
  ["cold", ["cold", "cold"]],
  ["api", ["start-streamed", "start-plain", "start-streamed", "start-plain"]],
]);

/** Services beyond which no start is asked for again: it takes long, and differs less. */
const MANY = 5000;

/** What rows are about. */
interface Kind {
  readonly variant: Variant;
  readonly layout: Layout;
}

/** What could not be measured is said and left out, and makes this process fail at last; the rest goes on. */
export async function askAll(wanted: Wanted): Promise<readonly Row[]> {
  const { variants, layouts, questions } = wanted;
  const rows: Row[] = [];
  for (const variant of variants) {
    for (const layout of layouts) {
      const own = questions.filter((question) => question !== "ipvs");
      for (const row of await rowsOf({ variant, layout }, wanted, own)) rows.push({ ...row, layout });
    }
  }
  // IPVS mode has next to no rules, so one variant will do.
  const [variant, layout] = [variants[0], layouts[0]];
  if (!questions.includes("ipvs") || !variant || !layout) return rows;
  for (const row of await rowsOf({ variant, layout }, wanted, ["ipvs"])) rows.push({ ...row, layout: "-" });
  return rows;
}

async function rowsOf(kind: Kind, wanted: Wanted, questions: readonly Question[]): Promise<readonly Row[]> {
  const measurements: Measurement[] = [];
  for (const group of groupsOf(questions, wanted)) measurements.push(...(await ask(kind, wanted, group)));
  return joinRepeats(measurements).map((measurement) => ({ ...kind, ...summarise(measurement) }));
}

/** What is asked in one sandbox together. */
function groupsOf(questions: readonly Question[], { size }: Wanted): readonly (readonly string[])[] {
  const again = size.services > MANY ? new Map<Question, readonly string[]>() : AGAIN;
  const alone = questions.flatMap((question) => {
    const parts = [...(FRESH.get(question) ?? []), ...(again.get(question) ?? [])];
    return parts.map((part) => [part]);
  });
  const together = questions.filter((question) => !FRESH.has(question));
  return together.length === 0 ? alone : [...alone, together];
}

async function ask({ variant, layout }: Kind, wanted: Wanted, group: readonly string[]) {
  const { size, endpointsOfOne, seconds, kubeProxyBinary = "" } = wanted;
  console.error(`${variant}, ${layout}: ${group.join(", ")} …`);
  const numbers = [size.services, size.endpoints, endpointsOfOne, seconds].map(String);
  try {
    const args = [variant, layout, ...numbers, kubeProxyBinary, ...group];
    const answers = await runInSandbox("scene.js", args, await placeOf(group));
    const measurements: readonly Measurement[] = JSON.parse(answers);
    for (const measurement of measurements) console.error(`  ${printAnswer(summarise(measurement))}`);
    return measurements;
  } catch (error) {
    console.error(`not measured: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
    return [];
  }
}

/** Where this kernel has no IPVS the virtual machine's is asked: about twenty times slower, so that ratios count. */
async function placeOf([question]: readonly string[]): Promise<Place> {
  return question === "ipvs" && !(await hasIpvs()) ? "guest" : "here";
}
