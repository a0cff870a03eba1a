// Which processes did the demo start, and how are they run in a namespace?
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";

const runFile = promisify(execFile);

/** @type {Set<import("node:child_process").ChildProcess>} */
const children = new Set();

/**
 * Runs a command in a namespace to its end and gives its standard output; throws with the command's own words.
 * @param {string} namespace
 * @param {string[]} command
 */
export async function runIn(namespace, command) {
  const { stdout } = await runFile("nsenter", [`--net=/run/netns/${namespace}`, ...command], { maxBuffer: 2 ** 26 });
  return stdout;
}

/**
 * Starts a command in a namespace. It ends with the demo, even if the demo is killed without a chance to end it.
 * @param {string} namespace
 * @param {string[]} command
 */
export function startIn(namespace, command) {
  const args = [`--net=/run/netns/${namespace}`, "setpriv", "--pdeathsig", "KILL", ...command];
  const child = spawn("nsenter", args, { stdio: ["ignore", "pipe", "pipe"] });
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

export function endChildren() {
  for (const child of children) child.kill("SIGKILL");
}
