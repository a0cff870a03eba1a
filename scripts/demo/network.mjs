// What does the network of the demo look like?
//
//   outside ── eth0 ── worker-a ── one link each ── pods: a client, and the endpoints of demo/web
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runIn } from "./children.mjs";

const runFile = promisify(execFile);

export const NODE = "worker-a";
export const OUTSIDE = { name: "outside", v4: "192.0.2.200", v6: "2001:db8:a::200" };

/** The node's side of every link to a pod. */
const GATEWAY = { v4: "192.0.2.10", v6: "fe80::1" };

/** @typedef {{ name: string, v4: string, v6: string }} Pod */

/** @type {string[]} */
const made = [];

/** Makes the node, and a client beside it on the node's network. */
export async function makeNode() {
  await addNamespace(NODE);
  await addNamespace(OUTSIDE.name);
  const forwarding = ["ipv4/ip_forward", "ipv6/conf/all/forwarding"].map((name) => `echo 1 > /proc/sys/net/${name}`);
  await runIn(NODE, ["sh", "-c", forwarding.join(" && ")]);
  await configure(NODE, [
    `link add eth0 type veth peer name eth0 netns ${OUTSIDE.name}`,
    "addr add 192.0.2.10/24 dev eth0",
    "addr add 2001:db8:a::10/64 dev eth0 nodad",
    "link set eth0 up",
    // A destination that no rule translates needs a route all the same, or rules for forwarded packets are not met.
    `route add default via ${OUTSIDE.v4}`,
    `route add ::/0 via ${OUTSIDE.v6}`,
  ]);
  await configure(OUTSIDE.name, [
    `addr add ${OUTSIDE.v4}/24 dev eth0`,
    `addr add ${OUTSIDE.v6}/64 dev eth0 nodad`,
    "link set eth0 up",
    "route add default via 192.0.2.10",
    "route add ::/0 via 2001:db8:a::10",
  ]);
}

/**
 * A pod is a namespace at the far end of a link; the node routes to it, and it sends everything to the node.
 * @param {Pod} pod
 */
export async function makePod({ name, v4, v6 }) {
  await addNamespace(name);
  await configure(NODE, [
    `link add ${name} type veth peer name eth0 netns ${name}`,
    `addr add ${GATEWAY.v6}/64 dev ${name} nodad`,
    `link set ${name} up`,
    `route add ${v4}/32 dev ${name} src ${GATEWAY.v4}`,
  ]);
  await configure(name, [
    `addr add ${v4}/32 dev eth0`,
    `addr add ${v6}/128 dev eth0 nodad`,
    "addr add fe80::2/64 dev eth0 nodad",
    "link set eth0 up",
    `route add default via ${GATEWAY.v4} dev eth0 onlink`,
    `route add ::/0 via ${GATEWAY.v6} dev eth0`,
  ]);
  await configure(NODE, [`route add ${v6}/128 via fe80::2 dev ${name}`]);
}

/** They would go by themselves with the last process in them; this says so by name when one cannot. */
export async function removeNetwork() {
  for (const name of made.splice(0)) await runFile("ip", ["netns", "del", name]);
}

/** @param {string} name */
async function addNamespace(name) {
  await runFile("ip", ["netns", "add", name]);
  made.push(name);
  await configure(name, ["link set lo up"]);
}

/**
 * Runs lines of `ip` commands in a namespace, the first refused one being the last.
 * @param {string} name
 * @param {string[]} lines
 */
async function configure(name, lines) {
  for (const line of lines) await runFile("ip", ["-n", name, ...line.split(" ")]);
}
