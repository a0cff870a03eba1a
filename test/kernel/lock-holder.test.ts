// Is the holder of the shared lock named? In a sandbox, whose /run is its own.
import "../support/enter-sandbox.ts";

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import t, { type Test } from "tap";
import { restoreTables } from "../../src/kernel/iptables.ts";
import { lockHolders } from "../../src/kernel/lock-holder.ts";
import { variantSkip } from "../support/iptables-variant.ts";
import { commandHere } from "../support/namespace-command.ts";
import { refusalOf } from "../support/refusal.ts";
import { skipReason } from "../support/sandbox.ts";

const skip = skipReason() || variantSkip("legacy");
t.setTimeout(60_000);

t.test("whoever holds the lock is named in the refusal", { skip }, async (t) => {
  rmSync("/run/xtables.lock", { force: true });
  t.strictSame(await lockHolders(), [], "nobody, before the file is there");
  const holder = await hold(t, "/run/xtables.lock");
  t.strictSame(await lockHolders(), [holder]);
  const change = { table: "nat", clear: ["X"], rules: [], remove: [] } as const;
  const { words } = await refusalOf(restoreTables(commandHere("legacy"), "IPv4", [change]));
  t.match(words, /xtables lock.*\(held by process \d+\)/s);
});

t.test("a file of the same number in another file system is another file", { skip }, async (t) => {
  writeFileSync("/run/xtables.lock", "");
  const other = "/run/other";
  mkdirSync(other);
  execFileSync("mount", ["-t", "tmpfs", "tmpfs", other]);
  await hold(t, fileOfNumber(statSync("/run/xtables.lock").ino, other));
  t.strictSame(await lockHolders(), []);
  const holder = await hold(t, "/run/xtables.lock");
  t.strictSame(await lockHolders(), [holder]);
});

/** The process that now holds the lock of a file, until the test ends. */
async function hold(t: Test, path: string): Promise<number | undefined> {
  const holder = spawn("flock", ["--no-fork", path, "sh", "-c", "echo held; exec sleep 30"]);
  t.teardown(() => holder.kill());
  await once(holder.stdout, "data");
  return holder.pid;
}

/** A new file system in memory numbers its files from the first; this makes files until one has the number. */
function fileOfNumber(ino: number, folder: string): string {
  for (let made = 0; made < ino; made++) {
    const path = `${folder}/${made}`;
    writeFileSync(path, "");
    if (statSync(path).ino === ino) return path;
  }
  throw new Error(`no file in ${folder} has the number ${ino}`);
}
