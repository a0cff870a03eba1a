// Which rules of a Service does the node's kernel hold at this moment?
import { setTimeout } from "node:timers/promises";
import { runIn } from "./children.mjs";
import { lastWords } from "./daemon.mjs";
import { NODE } from "./network.mjs";

const LOOK_EVERY_MS = 25;
const PATIENCE_MS = 20_000;

/**
 * The rules that a ServicePort's connections meet, in the order in which they meet them: as iptables prints them, but
 * without comments, which hold the name by which they are found.
 * @param {string} servicePort
 */
export async function rulesOf(servicePort) {
  const rules = await natRules("iptables");
  const entry = rules.filter((rule) => /^-A KUBE-(SERVICES|NODEPORTS) /.test(rule) && rule.includes(`"${servicePort}`));
  const chains = entry.flatMap((rule) => targetOf(rule) ?? []);
  const met = new Set();
  for (const chain of chains) follow(chain, rules, met);
  const inside = [...met].flatMap((chain) => rules.filter((rule) => rule.startsWith(`-A ${chain} `)));
  return [...entry, ...inside].map((rule) => rule.replace(/-m comment --comment ("[^"]*"|\S+) /g, ""));
}

/**
 * Looks until both families send the ServicePort to exactly so many endpoints, and gives the moment, in milliseconds on
 * the clock of `performance.now()`. Throws when the daemon has ended, or takes too long.
 * @param {{ servicePort: string, endpoints: number, daemon: import("./daemon.mjs").Daemon }} expected
 */
export async function waitForEndpoints({ servicePort, endpoints, daemon }) {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end && daemon.exitCode === null) {
    const counts = await Promise.all(["iptables", "ip6tables"].map((program) => countEndpoints(program, servicePort)));
    if (counts.every((count) => count === endpoints)) return performance.now();
    await setTimeout(LOOK_EVERY_MS);
  }
  const what = daemon.exitCode === null ? "does not change the rules" : `ended with ${daemon.exitCode}`;
  throw new Error(`the daemon ${what}. Its last words:\n${lastWords(daemon)}`);
}

/** How many rules of ours the node holds, both families together. */
export async function countRules() {
  const saves = await Promise.all(["iptables-save", "ip6tables-save"].map((program) => runIn(NODE, [program])));
  return saves.join("\n").match(/^-A .*KUBE-/gm)?.length ?? 0;
}

/**
 * @param {string} program
 * @param {string} servicePort
 */
async function countEndpoints(program, servicePort) {
  const rules = await natRules(program);
  return rules.filter((rule) => rule.startsWith("-A KUBE-SVC-") && rule.includes(`"${servicePort} -> `)).length;
}

/** @param {string} program */
async function natRules(program) {
  return (await runIn(NODE, [program, "-w", "-t", "nat", "-S"])).split("\n");
}

/**
 * @param {string} chain
 * @param {string[]} rules
 * @param {Set<string>} met
 */
function follow(chain, rules, met) {
  if (met.has(chain) || chain === "KUBE-MARK-MASQ") return;
  met.add(chain);
  for (const rule of rules.filter((one) => one.startsWith(`-A ${chain} `))) {
    const target = targetOf(rule);
    if (target?.startsWith("KUBE-")) follow(target, rules, met);
  }
}

/** @param {string} rule */
function targetOf(rule) {
  return / -j (\S+)/.exec(rule)?.[1];
}
