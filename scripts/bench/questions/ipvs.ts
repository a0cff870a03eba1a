// How fast does IPVS mode bring a kernel to what is wanted, and what does one change cost there?
import { execFileSync } from "node:child_process";
import { ensureDevice } from "../../../src/kernel/link.ts";
import { diff } from "../../../src/plan/diff.ts";
import type { Step } from "../../../src/plan/plan.ts";
import { BenchNode, type Cost } from "../bench-node.ts";
import { set } from "../changes.ts";
import { allManifests, changedService, manifestsOf, type Size } from "../cluster.ts";
import type { FirstSync } from "../first-sync.ts";
import type { Measurement } from "../measurement.ts";
import { countMessages } from "../one-by-one.ts";
import { runInSandbox } from "../sandbox.ts";

const REPEATS = 9;

/** Times that all is asked for both ways, in turn. */
const ROUNDS = 2;

/** Parts of a first sync, as they are called. */
const PARTS: readonly (readonly [kind: Step["kind"], words: string])[] = [
  ["sets", "sets and their entries"],
  ["servers", "virtual and real servers"],
  ["bind", "addresses"],
];

/** Both ways once. */
interface Round {
  readonly ours: FirstSync;
  readonly oneByOne: FirstSync;
}

/** To be asked in a network that nobody touched, on a kernel that has IPVS. */
export async function askIpvs(size: Size): Promise<readonly Measurement[]> {
  // A network without any address has no table of local ones, and every real server in it is refused.
  execFileSync("ip", ["link", "set", "lo", "up"]);
  const cold = await timeRound(size, "cold");
  const warm: Round[] = [];
  for (let round = 1; round <= ROUNDS; round++) warm.push(await timeRound(size, "warm"));
  const { entryEach, fullMessages } = cold.ours;
  return [
    compare("ipvs: first sync", warm),
    ...PARTS.map(([kind, words]) => compare(`ipvs: of it ${words}`, warm, (step) => step === kind)),
    compare("ipvs: first sync, code that never ran", [cold]),
    {
      question: "ipvs: requests of it",
      unit: "requests",
      ours: [fullMessages],
      baseline: [entryEach],
      against: "an entry of a set each",
    },
    ...(await askChanges(await BenchNode.make("ipvs"), size)),
  ];
}

async function timeRound(size: Size, code: "cold" | "warm"): Promise<Round> {
  return { ours: await timeFirstSync("ours", size, code), oneByOne: await timeFirstSync("one-by-one", size, code) };
}

/** In a network of its own: what was removed from one weighs on IPVS there for minutes. */
async function timeFirstSync(way: "ours" | "one-by-one", size: Size, code: "cold" | "warm"): Promise<FirstSync> {
  const args = [way, code, String(size.services), String(size.endpoints)];
  const measured: FirstSync = JSON.parse(await runInSandbox("first-sync.js", args));
  return measured;
}

function compare(question: string, rounds: readonly Round[], counts: (kind: string) => boolean = () => true) {
  const sum = ({ times }: FirstSync) =>
    times.reduce((total, { kind, elapsed }) => total + (counts(kind) ? elapsed : 0), 0);
  return {
    question,
    unit: "ms",
    ours: rounds.map(({ ours }) => sum(ours)),
    baseline: rounds.map(({ oneByOne }) => sum(oneByOne)),
    against: "one request at a time, code as warm",
  } as const satisfies Measurement;
}

/** The whole pass, as the daemon makes it: the first one, single changes, and a look at all with nothing to do. */
async function askChanges(node: BenchNode, size: Size): Promise<readonly Measurement[]> {
  await ensureDevice();
  node.want(set(allManifests(size)));
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
