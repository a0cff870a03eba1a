// How long does a kernel without sets, servers and addresses take to have all of a cluster? To be run in a network that
// nobody touched; the answer goes to standard output.
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { setsOf } from "../../src/backends/ipvs/sets.ts";
import { changeSets } from "../../src/kernel/ipset.ts";
import { deleteAllServers } from "../../src/kernel/ipvs.ts";
import { removeDevice } from "../../src/kernel/link.ts";
import { diff } from "../../src/plan/diff.ts";
import type { Step } from "../../src/plan/plan.ts";
import { BenchNode } from "./bench-node.ts";
import { set } from "./changes.ts";
import { allManifests, type Size } from "./cluster.ts";
import { countFullMessages, countMessages, timeOneByOne } from "./one-by-one.ts";
import { prepareFolder } from "./sandbox.ts";

/** What is printed. */
export interface FirstSync {
  /** Milliseconds of each step. */
  readonly times: readonly { readonly kind: Step["kind"]; readonly elapsed: number }[];
  /** Requests, if each entry of a set is one, and with as many in each as it may have. */
  readonly entryEach: number;
  readonly fullMessages: number;
}

/**
 * Services of the run that warms the code: the first ones of the cluster. IPVS keeps removed real servers for minutes,
 * and looks through all of them for each that is added; of these it finds each again, and keeps none.
 */
const WARM = 200;

/** Milliseconds for what the kernel frees later. */
const REST = 1500;

const [way, code, services, endpoints] = process.argv.slice(2);
prepareFolder();
// A network without any address has no table of local ones, and every real server in it is refused.
execFileSync("ip", ["link", "set", "lo", "up"]);
const node = await BenchNode.make("ipvs");
const size = { services: Number(services), endpoints: Number(endpoints) };
const timeSteps = way === "ours" ? timeOurs : timeOneByOne;
if (code === "warm") {
  await timeSteps(await stepsFor({ ...size, services: Math.min(WARM, size.services) }));
  await clear();
}
const steps = await stepsFor(size);
const elapsed = await timeSteps(steps);
const answer: FirstSync = {
  times: steps.map(({ kind }, at) => ({ kind, elapsed: elapsed[at] ?? Number.NaN })),
  entryEach: countMessages(steps),
  fullMessages: countFullMessages(steps),
};
process.stdout.write(JSON.stringify(answer), () => process.exit(0));

/** From a kernel with no set, no server and no address of ours. */
async function stepsFor(part: Size): Promise<readonly Step[]> {
  const { means } = node;
  const wanted = node.want(set(allManifests(part)));
  const sets = setsOf("IPv4").map(({ name }) => name);
  const look = { sysctls: [], counters: [], ipvs: { sets, device: "kube-ipvs0" } };
  const actual = await means.kernel.observe("IPv4", look);
  const { steps } = diff(wanted, actual, { jumps: means.backend.jumps, variant: means.variant });
  return steps.filter(({ kind }) => kind !== "iptables" && kind !== "sysctl" && kind !== "counter");
}

/** Milliseconds of each, as a pass carries them out. */
async function timeOurs(steps: readonly Step[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const step of steps) {
    const start = performance.now();
    const { refused, items } = await node.means.kernel.apply({ steps: [step], kept: [] });
    times.push(performance.now() - start);
    const error = refused?.error ?? items[0]?.error;
    if (error) throw error;
  }
  return times;
}

async function clear(): Promise<void> {
  await deleteAllServers();
  await removeDevice();
  for (const { name } of setsOf("IPv4")) await changeSets([{ kind: "destroy", name }]);
  await sleep(REST);
}
