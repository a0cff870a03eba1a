// What do test files say that need a kernel with IPVS?
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Test } from "tap";
import { bundleForGuest } from "./guest-bundle.ts";
import { guestEnvironment, vmCommand } from "./vm.ts";

const FOLDER = fileURLToPath(new URL("../vm/", import.meta.url));

const TESTS = fileURLToPath(new URL("guest-tests.sh", import.meta.url));

/** Seconds from the start of the boot to the end of the last test. */
const LIMIT = 800;

const OF_DAEMON: ReadonlySet<string> = new Set(["fall-back", "modes", "scenarios", "state"]);

/** Is it about what the node proxy makes of a kernel, and takes long? */
export function isOfDaemon(name: string): boolean {
  return OF_DAEMON.has(name.replace(".guest.ts", ""));
}

/** Runs these files of `test/vm` in one boot; what they say becomes part of this test. */
export async function testInGuest(t: Test, group: string, wanted: (name: string) => boolean): Promise<void> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".guest.ts") && wanted(name));
  const bundles = await bundleForGuest(
    files.map((name) => join(FOLDER, name)),
    group,
  );
  const [program, ...args] = vmCommand(["sh", TESTS, ...bundles], { timeout: LIMIT });
  await t.spawn(program, args, { env: guestEnvironment() }, "tests");
}
