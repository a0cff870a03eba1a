// How does a test use the `ipset` command, and read what it prints?
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FIXTURES } from "./golden.ts";
import { type Hex, hexOf } from "./hex.ts";
import { sandboxEnvironment, skipReason } from "./sandbox.ts";

/** Runs the command, with what it reads from its input; throws with its own words. */
export function ipset(args: readonly string[], input = ""): string {
  const { status, stdout, stderr } = spawnSync("ipset", args, { input, env: sandboxEnvironment(), encoding: "utf8" });
  if (status !== 0) throw new Error(`ipset ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Why tests of sets cannot run in this process, as tap's `skip` takes it. */
export function ipsetSkipReason(): string | false {
  const why = skipReason();
  if (why) return why;
  try {
    ipset(["save"]);
    return false;
  } catch (error) {
    return `no sets here: ${error}`;
  }
}

/** What `ipset save` prints of a set, or of all, without what the kernel made up. */
export function savedSets(name?: string): readonly string[] {
  const text = ipset(name === undefined ? ["save"] : ["save", name]);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/ bucketsize \d+ initval 0x[0-9a-f]+$/, ""));
}

/** A file of `fixtures/kernel/ipset`, without its ending. */
export function ipsetFixture(name: string): Hex {
  return hexOf(readFileSync(join(FIXTURES, "kernel/ipset", `${name}.hex`), "utf8"));
}
