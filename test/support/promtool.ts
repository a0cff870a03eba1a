// What does Prometheus' own tool say of a text? It is not asked for on machines that do not have it: 48 MB.
import { spawnSync } from "node:child_process";

/** Why the tool cannot be asked, as tap's `skip` takes it. */
export function promtoolSkip(): string | false {
  return spawnSync("promtool", ["--version"]).status === 0 ? false : "promtool is not on the PATH";
}

/** What it complains of, line by line: that it cannot read the text, or that a name is not as names should be. */
export function askPromtool(text: string): readonly string[] {
  const { stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  return `${stdout}${stderr}`.split("\n").filter((line) => line !== "");
}
