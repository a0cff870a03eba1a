// How fast is it on this machine? `npm run bench` asks, each answer next to that of something simpler in the same run.
//
// All happens in sandboxes that end with this process, one for each group of questions.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Question, readFlags, type Wanted } from "./flags.ts";
import { plotGrowth } from "./growth-plots.ts";
import { describeMachine } from "./machine-line.ts";
import { askAll } from "./rows.ts";
import { printTable } from "./table.ts";

/** Those that are about the built daemon. */
const BUILT: ReadonlySet<Question> = new Set(["memory", "daemon", "api", "churn", "load", "outage"]);

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
  if (wanted.output !== "json") console.log(machine);
  if (process.getuid?.() !== 0) console.error(ORDINARY_USER);
  if (wanted.output === "plots") {
    for (const path of await plotGrowth(wanted, machine)) console.log(path);
    return;
  }
  if (wanted.questions.some((question) => BUILT.has(question))) build();
  const rows = await askAll(wanted);
  const { size } = wanted;
  if (wanted.output === "json") console.log(JSON.stringify({ machine, ...size, rows }, null, 2));
  else console.log(`${size.services} Services of ${size.endpoints} endpoints\n\n${printTable(rows)}`);
}

/** The daemon is measured as it is installed: built. */
function build(): void {
  const script = fileURLToPath(new URL("../build.mjs", import.meta.url));
  if (spawnSync(process.execPath, [script], { stdio: ["ignore", 2, 2] }).status !== 0) throw new Error("build failed");
}
