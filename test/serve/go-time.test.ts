// Are times written as Go writes them?
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import t from "tap";

const WHEN = Date.parse("2026-07-02T03:04:05Z");

const CASES = [
  { zone: "UTC", added: 0, shown: "2026-07-02T03:04:05Z" },
  { zone: "UTC", added: 600, shown: "2026-07-02T03:04:05.6Z" },
  { zone: "UTC", added: 0.001, shown: "2026-07-02T03:04:05.000001Z" },
  { zone: "UTC", added: 123.456, shown: "2026-07-02T03:04:05.123456Z" },
  { zone: "Europe/Berlin", added: 20, shown: "2026-07-02T05:04:05.02+02:00" },
  { zone: "America/St_Johns", added: 0, shown: "2026-07-02T00:34:05-02:30" },
  { zone: "Africa/Abidjan", added: 0, shown: "2026-07-02T03:04:05Z" },
];

const MODULE = fileURLToPath(new URL("../../src/serve/go-time.ts", import.meta.url));

// The zone belongs to a process, so each case has its own.
for (const { zone, added, shown } of CASES) {
  t.test(`${shown} in ${zone}`, async (t) => {
    const script = `import { goTime } from ${JSON.stringify(MODULE)}; process.stdout.write(goTime(${WHEN + added}))`;
    const args = ["--import=tsx", "--input-type=module", "-e", script];
    t.equal(spawnSync(process.execPath, args, { env: { ...process.env, TZ: zone }, encoding: "utf8" }).stdout, shown);
  });
}
