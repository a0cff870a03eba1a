// How is the daemon started, and what did it say?
import { createInterface } from "node:readline";
import { startIn } from "./children.mjs";
import { NODE } from "./network.mjs";
import { PODS } from "./pods.mjs";

const KEPT_LINES = 15;

/**
 * @typedef {{ readonly lines: string[], readonly exitCode: number | null }} Daemon its log, and how it ended
 */

/**
 * Starts the daemon on the node as an operator would, with a directory of manifests in place of a cluster.
 * @param {string} manifests
 * @returns {Daemon}
 */
export function startDaemon(manifests) {
  const flags = ["--manifests", manifests, "--hostname-override", NODE, "--cluster-cidr", PODS];
  // The size of conntrack's table is the machine's alone.
  flags.push("--conntrack-max-per-core=0");
  const child = startIn(NODE, [process.execPath, "dist/main.js", "run", ...flags]);
  /** @type {string[]} */
  const lines = [];
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", (line) => lines.push(line));
  return {
    lines,
    get exitCode() {
      return child.exitCode;
    },
  };
}

/** @param {Daemon} daemon */
export function lastWords({ lines }) {
  return lines.slice(-KEPT_LINES).join("\n");
}
