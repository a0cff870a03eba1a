// Checks what commands answer on a node whose iptables-legacy tables they have no right to read.
import "../support/enter-sandbox.ts";

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { runCommandLine } from "../../src/cli.ts";
import { CollectedOutput } from "../support/collected-output.ts";
import { FIXTURES } from "../support/golden.ts";
import { variantSkip } from "../support/iptables-variant.ts";

/** What iptables-legacy prints without CAP_NET_RAW. */
const DENIED = "iptables-legacy v1.8.9: can't initialize iptables table: Permission denied (you must be root)";

/** Both variants are on the PATH, and which one the node uses cannot be read. */
function denyLegacy(): string {
  // iptables-legacy has tables in this network namespace from its first listing on.
  spawnSync("iptables-legacy", ["-w", "-t", "filter", "-S"]);
  const folder = "/run/fairlead-denied";
  mkdirSync(folder, { recursive: true });
  for (const tool of ["iptables", "ip6tables"]) {
    for (const suffix of ["nft-restore", "nft-save", "legacy-restore", "legacy-save"]) {
      writeFileSync(join(folder, `${tool}-${suffix}`), `#!/bin/sh\necho "${DENIED}" >&2\nexit 4\n`, { mode: 0o755 });
    }
  }
  return folder;
}

const skip = variantSkip("legacy");

t.test("without the right to read rules, cleanup and diff say so and what to do", { skip }, async (t) => {
  const { PATH } = process.env;
  process.env.PATH = denyLegacy();
  t.teardown(() => {
    process.env.PATH = PATH;
  });
  for (const [args, message] of [
    [["cleanup"], "cannot change this node's rules: permission denied; run as root"],
    [
      ["diff", join(FIXTURES, "demo")],
      "cannot read this node's rules: permission denied; run as root, or pass a dump with --from FILE",
    ],
  ] as const) {
    const output = new CollectedOutput();
    t.equal(await runCommandLine(args, output), 2);
    t.strictSame([output.text, output.notes], ["", [`fairlead: ${message}`]], args[0]);
  }
});
