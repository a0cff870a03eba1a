// May networks be made here, and how? As root, or as an ordinary user who is root of a user namespace.
import { spawnSync } from "node:child_process";
import { toolEnvironment } from "../install/tools.mjs";

/**
 * @typedef {{ kind: "root" } | { kind: "user-namespace" } | { kind: "none", reason: string }} Way
 */

/**
 * Network and mounts of its own, so that all that is made inside goes with the last process inside; -r makes the
 * ordinary user root there.
 */
const FLAGS = { root: "-nm", "user-namespace": "-Urnm" };

/** Named namespaces and the lock of iptables live in /run, which is the host's. */
const PRIVATE_RUN = "mount -t tmpfs tmpfs /run";

/** One of each thing that the demo will do, so that what is impossible is found out before it begins. */
const TRIAL = [
  PRIVATE_RUN,
  "ip netns add trial",
  "ip link add trial0 type veth peer name trial1 netns trial",
  "nsenter --net=/run/netns/trial sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'",
  "nsenter --net=/run/netns/trial iptables -w -t nat -S >/dev/null",
].join(" && ");

/**
 * Finds out by trying, in namespaces that end with the trial.
 * @returns {Way}
 */
export function findWay() {
  const reasons = [];
  for (const kind of process.getuid?.() === 0 ? ["root", "user-namespace"] : ["user-namespace"]) {
    const refusal = refusalOf(kind);
    if (refusal === undefined) return { kind };
    reasons.push(`as ${kind}: ${refusal}`);
  }
  return { kind: "none", reason: reasons.join("; ") };
}

/**
 * The command that runs another one in such namespaces.
 * @param {"root" | "user-namespace"} kind
 * @param {string[]} command
 */
export function enter(kind, command) {
  return ["unshare", FLAGS[kind], "sh", "-c", `${PRIVATE_RUN} && exec "$@"`, "sh", ...command];
}

/** @param {"root" | "user-namespace"} kind */
function refusalOf(kind) {
  const tried = spawnSync("unshare", [FLAGS[kind], "sh", "-c", TRIAL], { env: toolEnvironment(), encoding: "utf8" });
  if (tried.status === 0) return undefined;
  return tried.error?.message ?? (tried.stderr.trim().split("\n")[0] || `status ${tried.status}`);
}
