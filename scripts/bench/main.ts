// How fast is it on this machine? `npm run bench` asks, each answer next to that of something simpler in the same run.
//
// All happens in sandboxes that end with this process, one for each group of questions.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { hasIpvs } from "../../src/kernel/ipvs.ts";
import type { Variant } from "../../src/plan/transactions.ts";
import { type Question, readFlags, type Wanted } from "./flags.ts";
import { describeMachine } from "./machine-line.ts";
import { joinRepeats, type Measurement, summarise } from "./measurement.ts";
import { type Place, runInSandbox } from "./sandbox.ts";
import { printTable, type Row } from "./table.ts";

const STARTS = ["start-streamed", "start-plain"];

/** Questions of which each part, as the scene calls it, needs a sandbox of its own. */
const FRESH: ReadonlyMap<Question, readonly string[]> = new Map([
  ["cold", ["cold", "cold", "cold"]],
  ["growth", ["growth"]],
  ["memory", ["memory"]],
  ["daemon", ["daemon"]],
  ["api", ["api-streamed", "api-plain", ...STARTS, ...STARTS, "start-paged"]],
  ["churn", ["churn"]],
  ["ipvs", ["ipvs"]],
]);

/** Those that are about the built daemon. */
const BUILT: ReadonlySet<Question> = new Set(["memory", "daemon", "api", "churn"]);

const ORDINARY_USER = `warning: inside a user namespace the kernel refuses large restores of iptables-nft, and
iptables-legacy-save fails: only small sizes and --variant nft can be measured. Run it as root for the rest.`;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));

try {
  await bench(readFlags(process.argv.slice(2)));
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function bench(wanted: Wanted): Promise<void> {
  const machine = describeMachine();
  if (!wanted.json) console.log(machine);
  if (process.getuid?.() !== 0) console.error(ORDINARY_USER);
  if (wanted.questions.some((question) => BUILT.has(question))) build();
  const rows: Row[] = [];
  for (const variant of wanted.variants) rows.push(...(await rowsOf(variant, wanted)));
  const { size } = wanted;
  if (wanted.json) console.log(JSON.stringify({ machine, ...size, rows }, null, 2));
  else console.log(`${size.services} Services of ${size.endpoints} endpoints\n\n${printTable(rows)}`);
}

async function rowsOf(variant: Variant, wanted: Wanted): Promise<readonly Row[]> {
  const measurements: Measurement[] = [];
  // IPVS mode has next to no rules, so one variant will do.
  const again = variant !== wanted.variants[0];
  const questions = wanted.questions.filter((question) => question !== "ipvs" || !again);
  for (const group of groupsOf(questions)) measurements.push(...(await ask(variant, wanted, group)));
  return joinRepeats(measurements).map((measurement) => ({ variant, ...summarise(measurement) }));
}

/** What is asked in one sandbox together. */
function groupsOf(questions: readonly Question[]): readonly (readonly string[])[] {
  const alone = questions.flatMap((question) => (FRESH.get(question) ?? []).map((part) => [part]));
  const together = questions.filter((question) => !FRESH.has(question));
  return together.length === 0 ? alone : [...alone, together];
}

/** What could not be measured is said and left out; the rest goes on. */
async function ask(
  variant: Variant,
  { size, seconds }: Wanted,
  group: readonly string[],
): Promise<readonly Measurement[]> {
  console.error(`${variant}: ${group.join(", ")} …`);
  const args = [variant, String(size.services), String(size.endpoints), String(seconds), ...group];
  try {
    const measurements: readonly Measurement[] = JSON.parse(await runInSandbox("scene.ts", args, await placeOf(group)));
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

/** The daemon is measured as it is installed: built. */
function build(): void {
  const script = fileURLToPath(new URL("../build.mjs", import.meta.url));
  if (spawnSync(process.execPath, [script], { stdio: ["ignore", 2, 2] }).status !== 0) throw new Error("build failed");
}
