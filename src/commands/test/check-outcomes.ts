// Compares the outcomes of a trace with those that a packet case expects.

import type { ExpectedEnd } from "../../source/packet-cases.ts";
import { printHostPort } from "../../trace/packet.ts";
import { type Fraction, NEVER, numberOf, plus, printShare } from "../../trace/probability.ts";
import { parseRule } from "../../trace/rule/rule.ts";
import type { RecentMatch } from "../../trace/rule/statistic-matches.ts";
import type { Ruleset } from "../../trace/ruleset.ts";
import { type Delivery, type Outcome, type Step, stepsTo, type Trace, type Verdict } from "../../trace/trace.ts";
import { walk } from "../../trace/walk/hooks.ts";
import { describeDetails, describeMasquerade, describeOutcome } from "../trace/describe.ts";
import type { TraceReport } from "../trace/report.ts";

/**
 * Seconds; 0: its next connection may go elsewhere. Known of virtual servers by their persistence; of rules by walking
 * again, with the client in all `recent` lists that the path to this outcome has set.
 */
export function affinitySeconds(ruleset: Ruleset, { packet }: Trace, outcome: Outcome): number {
  const steps = stepsTo(outcome.lastSteps[0]);
  const [persistence = 0] = steps.flatMap((step) => persistenceAt(ruleset, step)).filter((seconds) => seconds > 0);
  if (persistence > 0) return persistence;
  const lists = steps.flatMap(recentMatches).filter(({ action }) => action === "set");
  if (lists.length === 0) return 0;
  const again = walk(ruleset, { ...packet, recentLists: new Set(lists.map(({ name }) => name)) });
  return Math.min(
    ...again.outcomes.map((next) => (isSameVerdict(next.verdict, outcome.verdict) ? recentSeconds(next) : 0)),
  );
}

function persistenceAt({ servers }: Ruleset, { at }: Step): readonly number[] {
  if ("rule" in at) return [];
  const { address, port, protocol } = at.server;
  const own = servers.filter((one) => one.address === address && one.port === port && one.protocol === protocol);
  return own.map(({ persistence }) => persistence);
}

/** As long as the rule asks that remembered it; one that names no time asks for ever. */
function recentSeconds({ lastSteps }: Outcome): number {
  const asked = stepsTo(lastSteps[0])
    .flatMap(recentMatches)
    .filter(({ action }) => action !== "set");
  return Math.max(0, ...asked.map(({ seconds }) => seconds ?? Number.POSITIVE_INFINITY));
}

function recentMatches({ at }: Step): readonly RecentMatch[] {
  if (!("rule" in at)) return [];
  return parseRule(at.rule.line).matches.flatMap((match) => (match.kind === "recent" ? match : []));
}

function isSameVerdict(one: Outcome["verdict"], other: Outcome["verdict"]): boolean {
  return destinationKey(one) === destinationKey(other);
}

function destinationKey(outcome: Outcome["verdict"]): string {
  return JSON.stringify(outcome.kind === "delivered" ? outcome.to : outcome.kind);
}

interface TracedCase {
  readonly report: TraceReport;
  /** Seconds that the client keeps the endpoint of an outcome; 0: no session affinity. */
  readonly affinitySeconds: (outcome: Outcome) => number;
  /** All of the node's addresses that are known. */
  readonly nodeAddresses: ReadonlySet<string>;
}

/** An outcome that delivers the packet. */
interface DeliveredOutcome {
  readonly outcome: Outcome;
  readonly delivery: Delivery;
}

/** Why it is not; nothing where it is. */
export function checkOutcomes(expected: ExpectedEnd, traced: TracedCase): readonly string[] {
  const { outcomes } = traced.report.trace;
  const others = outcomes.filter(({ verdict }) => !isOf(expected.kind, verdict));
  const wrong = others.map((outcome) => describeWrong(outcome, traced.report));
  if (expected.kind === "dropped" || expected.kind === "rejected" || expected.kind === "unreachable") return wrong;
  const delivered = outcomes.flatMap((outcome) =>
    outcome.verdict.kind === "delivered" ? { outcome, delivery: outcome.verdict } : [],
  );
  const problems = [...wrong, ...checkSources(expected.masqueraded, delivered, traced)];
  if (expected.kind === "none") return [...problems, ...checkUntouched(delivered, traced)];
  const reached = probabilitiesOf(delivered);
  return [
    ...problems,
    ...checkReached(expected.endpoints, reached),
    ...checkProbabilities(expected, reached),
    ...checkAffinity(expected.affinity, delivered, traced),
  ];
}

function isOf(kind: ExpectedEnd["kind"], { kind: found }: Verdict): boolean {
  if (kind === "dropped") return found === "dropped" || found === "policy";
  if (kind === "rejected") return found === "rejected" || found === "refused";
  if (kind === "unreachable") return false;
  return found === "delivered";
}

function describeWrong(outcome: Outcome, report: TraceReport): string {
  const why = outcome.verdict.kind === "delivered" ? [] : describeDetails(outcome);
  const reached = outcome.verdict.kind === "delivered" ? "reaches " : "";
  return [`${reached}${describeOutcome(outcome, report)}`, ...why].join(": ");
}

interface EndpointProbability {
  readonly probability: Fraction;
  readonly possible: boolean;
}

/** By endpoint, however it is reached. */
function probabilitiesOf(delivered: readonly DeliveredOutcome[]): ReadonlyMap<string, EndpointProbability> {
  const reached = new Map<string, EndpointProbability>();
  for (const { outcome, delivery } of delivered) {
    const place = placeOf(delivery);
    const { probability, possible } = reached.get(place) ?? { probability: NEVER, possible: false };
    reached.set(place, { probability: plus(probability, outcome.probability), possible: possible || outcome.possible });
  }
  return reached;
}

function placeOf({ to: { address, port } }: Delivery): string {
  return printHostPort(address, port);
}

function checkReached(
  endpoints: readonly string[],
  reached: ReadonlyMap<string, EndpointProbability>,
): readonly string[] {
  const missed = endpoints.filter((endpoint) => !reached.has(endpoint));
  const surplus = [...reached.keys()].filter((endpoint) => !endpoints.includes(endpoint));
  return [
    ...missed.map((endpoint) => `does not reach ${endpoint}`),
    ...surplus.map((endpoint) => `reaches ${endpoint} as well`),
  ];
}

type Reaches = Extract<ExpectedEnd, { kind: "reaches" }>;

/**
 * Where something other than chance decides, nothing is said of how often; and where others are reached than expected,
 * only what the case itself says of it counts.
 */
function checkProbabilities(
  { endpoints, probability }: Reaches,
  reached: ReadonlyMap<string, EndpointProbability>,
): readonly string[] {
  const isSaid = probability.size > 0;
  if (!isSaid && (reached.size !== endpoints.length || endpoints.some((endpoint) => !reached.has(endpoint)))) return [];
  const equal = { value: 1 / endpoints.length, tolerance: 1e-6, text: `1/${endpoints.length}` };
  return endpoints.flatMap((endpoint) => {
    const found = reached.get(endpoint);
    // That it is not reached at all has been said.
    if (found === undefined) return [];
    const { possible } = found;
    const wanted = probability.get(endpoint) ?? equal;
    if (possible) return isSaid ? [`what reaches ${endpoint} is not left to chance`] : [];
    if (Math.abs(numberOf(found.probability) - wanted.value) <= wanted.tolerance) return [];
    return [`reaches ${endpoint} with probability ${printShare(found.probability)}, not ${wanted.text}`];
  });
}

/** What the node itself sends comes from an address of the node either way. */
function checkSources(
  expected: boolean | undefined,
  delivered: readonly DeliveredOutcome[],
  { report, nodeAddresses }: TracedCase,
): readonly string[] {
  if (expected === undefined) return [];
  const isOwn = report.trace.packet.origin.kind === "node";
  const wrong = delivered.filter(({ delivery: { source, masqueradedBy } }) => {
    const eitherWay = isOwn && (source === undefined || nodeAddresses.has(source));
    return !eitherWay && masqueradedBy.length > 0 !== expected;
  });
  return wrong.map(({ delivery }) => {
    return `${placeOf(delivery)}: ${expected ? "not masqueraded" : describeMasquerade(delivery.masqueradedBy).join()}`;
  });
}

function checkUntouched(delivered: readonly DeliveredOutcome[], { report }: TracedCase): readonly string[] {
  return delivered.flatMap(({ outcome, delivery }) => (delivery.translatedBy ? describeWrong(outcome, report) : []));
}

function checkAffinity(
  expected: Reaches["affinity"],
  delivered: readonly DeliveredOutcome[],
  { affinitySeconds }: TracedCase,
): readonly string[] {
  if (expected === undefined) return [];
  return delivered.flatMap(({ outcome, delivery }) => {
    const seconds = affinitySeconds(outcome);
    if ((typeof expected === "boolean" ? seconds > 0 : seconds) === expected) return [];
    const found = seconds === 0 ? "does not stay with it" : `stays with it for ${seconds} s`;
    return [`${placeOf(delivery)}: a client ${found}`];
  });
}
