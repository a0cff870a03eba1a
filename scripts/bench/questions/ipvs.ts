// How fast does IPVS mode bring a kernel to what is wanted, and what does one change cost there?
import { execFileSync } from "node:child_process";
import { setsOf } from "../../../src/backends/ipvs/sets.ts";
import { changeSets } from "../../../src/kernel/ipset.ts";
import { deleteAllServers } from "../../../src/kernel/ipvs.ts";
import { ensureDevice, removeDevice } from "../../../src/kernel/link.ts";
import { diff } from "../../../src/plan/diff.ts";
import type { Plan, Step } from "../../../src/plan/plan.ts";
import { BenchNode, type Cost } from "../bench-node.ts";
import { set } from "../changes.ts";
import { allManifests, changedService, manifestsOf, type Size } from "../cluster.ts";
import type { Measurement } from "../measurement.ts";
import { countMessages, timeOneByOne } from "../one-by-one.ts";

const REPEATS = 9;

/** To be asked in a network that nobody touched, on a kernel that has IPVS. */
export async function askIpvs(size: Size): Promise<readonly Measurement[]> {
  // A network without any address has no table of local ones, and every real server in it is refused.
  execFileSync("ip", ["link", "set", "lo", "up"]);
  const node = await BenchNode.make("ipvs");
  const wanted = node.want(set(allManifests(size)));
  const plan = await planOf(node, wanted);
  const ours = await timeSteps(node, plan);
  await clear();
  const baseline = await timeOneByOne(plan.steps);
  await clear();
  const against = "one request at a time";
  const messages = countMessages(plan.steps);
  return [
    {
      question: "ipvs: first sync, servers, sets and addresses",
      unit: "ms",
      ours: [ours],
      baseline: [baseline],
      against,
    },
    { question: "ipvs: requests of it", unit: "requests", ours: [messages], baseline: [messages], against: "the same" },
    ...(await askChanges(node, size)),
  ];
}

/** A kernel with no rule, no set and no server of ours, and what it takes. */
async function planOf({ means }: BenchNode, wanted: Parameters<typeof diff>[0]): Promise<Plan> {
  const sets = setsOf("IPv4").map(({ name }) => name);
  const actual = await means.kernel.observe("IPv4", {
    sysctls: [],
    counters: [],
    ipvs: { sets, device: "kube-ipvs0" },
  });
  const plan = diff(wanted, actual, { jumps: means.backend.jumps, variant: means.variant });
  return { ...plan, steps: plan.steps.filter(isIpvs) };
}

function isIpvs({ kind }: Step): boolean {
  return kind !== "iptables" && kind !== "sysctl" && kind !== "counter";
}

async function timeSteps({ means }: BenchNode, plan: Plan): Promise<number> {
  const start = performance.now();
  const { refused, items } = await means.kernel.apply(plan);
  const elapsed = performance.now() - start;
  const error = refused?.error ?? items[0]?.error;
  if (error) throw error;
  return elapsed;
}

async function clear(): Promise<void> {
  await deleteAllServers();
  await removeDevice();
  for (const { name } of setsOf("IPv4")) await changeSets([{ kind: "destroy", name }]);
}

/** The whole pass, as the daemon makes it: the first one, single changes, and a look at all with nothing to do. */
async function askChanges(node: BenchNode, size: Size): Promise<readonly Measurement[]> {
  await ensureDevice();
  const first = await node.apply([]);
  const changes: Cost[] = [];
  const looks: Cost[] = [];
  for (let change = 1; change <= REPEATS; change++) {
    changes.push(await node.apply(set(manifestsOf(changedService(size, change), size, change))));
  }
  for (let repeat = 0; repeat < 3; repeat++) {
    node.letPeriodPass();
    looks.push(await node.apply([]));
  }
  // kube-proxy reads each virtual server twice, and its real servers, at every sync.
  const reads = changes.map(() => 3 * size.services);
  const messages = changes.map(({ before, after }) => countMessages(stepsBetween(node, before, after)));
  return [
    {
      question: "ipvs: first pass, rules too",
      unit: "ms",
      ours: [first.elapsed],
      baseline: [first.elapsed],
      against: "itself",
    },
    {
      question: "ipvs: one slice change",
      unit: "ms",
      ours: changes.map(({ elapsed }) => elapsed),
      baseline: [first.elapsed],
      against: "the first pass",
    },
    {
      question: "ipvs: requests of one slice change",
      unit: "requests",
      ours: messages,
      baseline: reads,
      against: "kube-proxy's reads alone",
    },
    {
      question: "ipvs: a look at everything",
      unit: "ms",
      ours: looks.map(({ elapsed }) => elapsed),
      baseline: [first.elapsed],
      against: "the first pass",
    },
  ];
}

function stepsBetween({ means }: BenchNode, before: Cost["before"], after: Cost["after"]): readonly Step[] {
  return diff(after, before, { jumps: means.backend.jumps, variant: means.variant }).steps;
}
