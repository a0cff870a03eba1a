// Is the holder of the shared lock named? In a sandbox, whose /run is its own.
import "../support/enter-sandbox.ts";

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import t from "tap";
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
  const holder = spawn("flock", ["--no-fork", "/run/xtables.lock", "sh", "-c", "echo held; exec sleep 30"]);
  t.teardown(() => holder.kill());
  await once(holder.stdout, "data");
  t.equal((await lockHolders()).length, 1);
  const change = { table: "nat", clear: ["X"], rules: [], remove: [] } as const;
  const { words } = await refusalOf(restoreTables(commandHere("legacy"), "IPv4", [change]));
  t.match(words, /xtables lock.*\(held by process \d+\)/s);
});
