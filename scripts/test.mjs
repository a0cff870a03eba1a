// Does everything hold? Installs what is missing, runs all checks and tests, and ends with the totals in one line.
//
//   npm test                  all
//   npm test -- FILE…         these test files or folders, without the checks and without coverage
//   npm test -- --no-skips    as on a build machine: a kernel test that root cannot run is a failure
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installPackages, prepareTap } from "./install/packages.mjs";
import { installTools } from "./install/tools.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const files = process.argv.slice(2).filter((argument) => argument !== "--no-skips");
const noSkips = process.argv.includes("--no-skips");

process.chdir(root);
try {
  installPackages();
  prepareTap();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
installTools(["iptables", "iproute2", "conntrack", "ipset", "nftables", "qemu-system-x86"]);

// These need the packages, so they are only looked for now.
const { runChecks, checkCoverage } = await import("./checks/checks.mjs");
const { runTests } = await import("./checks/tests.mjs");

const whole = files.length === 0;
const checks = whole ? runChecks() : [];
const tests = await runTests(files, { coverage: whole });
const kernelSkips = tests.skips.filter(({ name }) => /^test\/(?:kernel|vm)\//.test(name));
if (whole) checks.push(...checkCoverage({ demanded: kernelSkips.length === 0 }));
if (noSkips && process.getuid?.() === 0 && kernelSkips.length > 0) {
  checks.push({ name: "root runs every kernel test, the virtual machine too", ok: false });
}

for (const { name, reason } of tests.skips) console.log(`skipped: ${name}: ${reason}`);
for (const { name, ok } of checks) if (!ok) console.log(`failed: ${name}`);
for (const name of tests.failures) console.log(`failed: ${name}`);

const passed = tests.passed + checks.filter(({ ok }) => ok).length;
const failed = tests.failed + checks.filter(({ ok }) => !ok).length;
const totals = `${passed} passed, ${failed} failed${tests.skipped > 0 ? `, ${tests.skipped} skipped` : ""}`;
console.log("Each assert of a test counts as one, and so does each check.");
console.log(totals);
mkdirSync(".tap", { recursive: true });
writeFileSync(".tap/totals.txt", `${totals}\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
