// What does a program of ours say in a network namespace of its own, in which something was done before?
import { fileURLToPath } from "node:url";
import { execa } from "execa";

/** Runs the commands in a new namespace, then the program, without these capabilities; gives what it prints as JSON. */
export async function inNewNetns(
  before: readonly string[],
  program: URL,
  without: readonly string[] = [],
): Promise<Readonly<Record<string, string | number>>> {
  const bare = without.length === 0 ? "" : `setpriv --bounding-set ${without} --inh-caps ${without}`;
  const script = ["set -e", ...before, `exec ${bare} "$@"`].join("\n");
  const started = [process.execPath, "--import=tsx", fileURLToPath(program)];
  const { stdout } = await execa("unshare", ["-n", "sh", "-c", script, "sh", ...started]);
  return JSON.parse(stdout);
}
