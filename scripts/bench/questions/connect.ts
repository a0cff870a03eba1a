// How long does a new connection take, through a Service at any place among many, and past them all?
import { type Place, podOf, serviceOf } from "../cluster.ts";
import { Connector } from "../connector.ts";
import { loadNetwork } from "../loaded-network.ts";
import type { LoadedNode } from "../loaded-node.ts";
import type { Measurement } from "../measurement.ts";
import type { Stopwatch } from "../stopwatch.ts";
import type { Subject } from "../subject.ts";

/** Both networks have their turn so often, with so many connections each time. */
const ROUNDS = 99;
const TIMES = 30;

/** That many first, so that all code was run before it counts. */
const WARM = 200;

/** What is connected to in the measured network, and in the one it is held against. */
interface Pair {
  readonly question: string;
  readonly against: string;
  readonly ours: Place;
  readonly baseline: Place;
}

/** Against a network with one Service alone, in turn. */
export async function askConnect({ size, layout, stopwatch }: LoadedNode): Promise<readonly Measurement[]> {
  const alone = await loadNetwork({ size: { ...size, services: 1 }, layout });
  const against = "one Service alone";
  const baseline = serviceOf(0);
  const pairs: readonly Pair[] = [
    // By name, as the dispatch chain has them, `bench` comes before the two others, which are the first by number.
    { question: "TCP connect, first Service", against, ours: serviceOf(2), baseline },
    { question: "TCP connect, middle Service", against, ours: serviceOf(size.services >> 1), baseline },
    { question: "TCP connect, last Service", against, ours: serviceOf(1), baseline },
    { question: "TCP connect, no Service", against: `${against}, past it`, ours: podOf(1), baseline: podOf(1) },
  ];
  return connectInTurn(stopwatch, alone, pairs);
}

/** One Service with many endpoints against one with a single one. */
export async function askEndpoints({ layout, endpointsOfOne }: Subject): Promise<readonly Measurement[]> {
  const [ours, baseline] = [serviceOf(0), serviceOf(0)];
  const many = await loadNetwork({ size: { services: 1, endpoints: endpointsOfOne }, layout });
  const alone = await loadNetwork({ size: { services: 1, endpoints: 1 }, layout });
  const question = `TCP connect, Service of ${endpointsOfOne} endpoints`;
  return connectInTurn(many, alone, [{ question, against: "Service of one endpoint", ours, baseline }]);
}

async function connectInTurn(
  many: Stopwatch,
  alone: Stopwatch,
  pairs: readonly Pair[],
): Promise<readonly Measurement[]> {
  const [mine, other] = [await Connector.start(many), await Connector.start(alone)];
  const measurements: Measurement[] = [];
  for (const { question, against, ours, baseline } of pairs) {
    await mine.connect(ours, WARM);
    await other.connect(baseline, WARM);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({ ours: await mine.connect(ours, TIMES), baseline: await other.connect(baseline, TIMES) });
    }
    measurements.push({ question, unit: "µs", ...quietHalf(rounds), against });
  }
  for (const each of [mine, other, alone]) each.end();
  return measurements;
}

/** Microseconds of both, one right after the other. */
interface Round {
  readonly ours: number;
  readonly baseline: number;
}

/** A round in which others had the processor tells of them, so that the slower half is left out. */
function quietHalf(rounds: readonly Round[]): Pick<Measurement, "ours" | "baseline"> {
  const sum = ({ ours, baseline }: Round) => ours + baseline;
  const quiet = rounds.toSorted((a, b) => sum(a) - sum(b)).slice(0, Math.ceil(rounds.length / 2));
  return { ours: quiet.map(({ ours }) => ours), baseline: quiet.map(({ baseline }) => baseline) };
}
