// Compares the outcomes of a trace with those that a packet case expects.

import type { ExpectedEnd } from "../../source/packet-cases.ts";
import { printHostPort } from "../../trace/packet.ts";
import { type Fraction, NEVER, numberOf, plus, printShare } from "../../trace/probability.ts";
import { parseRule } from "../../trace/rule/rule.ts";
import type { RecentMatch } from "../../trace/rule/statistic-matches.ts";
import type { Field } from "../../trace/ruleset.ts";
import { type Delivery, type End, type Outcome, type Step, type Trace, wayTo } from "../../trace/trace.ts";
import { walk } from "../../trace/walk/hooks.ts";
import { sayDetails, sayMasquerade, sayOutcome } from "../trace/describe.ts";
import type { TraceReport } from "../trace/report.ts";

/**
 * Seconds; 0: its next connection may go elsewhere. Known of virtual servers by their persistence; of rules by walking
 * again, remembered by all lists that the way to this end has put it on.
 */
export function staysFor(field: Field, { packet }: Trace, end: End): number {
  const steps = wayTo(end.last[0]);
  const [persistence = 0] = steps.flatMap((step) => persistenceAt(field, step)).filter((seconds) => seconds > 0);
  if (persistence > 0) return persistence;
  const lists = steps.flatMap(recentMatches).filter(({ action }) => action === "set");
  if (lists.length === 0) return 0;
  const again = walk(field, { ...packet, remembered: new Set(lists.map(({ name }) => name)) });
  return Math.min(...again.ends.map((next) => (isSame(next.outcome, end.outcome) ? heldOnWayTo(next) : 0)));
}

function persistenceAt({ servers }: Field, { at }: Step): readonly number[] {
  if ("rule" in at) return [];
  const { address, port, protocol } = at.server;
  const own = servers.filter((one) => one.address === address && one.port === port && one.protocol === protocol);
  return own.map(({ persistence }) => persistence);
}

/** As long as the rule asks that remembered it; one that names no time asks for ever. */
function heldOnWayTo({ last }: End): number {
  const asked = wayTo(last[0])
    .flatMap(recentMatches)
    .filter(({ action }) => action !== "set");
  return Math.max(0, ...asked.map(({ seconds }) => seconds ?? Number.POSITIVE_INFINITY));
}

function recentMatches({ at }: Step): readonly RecentMatch[] {
  if (!("rule" in at)) return [];
  return parseRule(at.rule.line).matches.flatMap((match) => (match.kind === "recent" ? match : []));
}

function isSame(one: End["outcome"], other: End["outcome"]): boolean {
  return destinationKey(one) === destinationKey(other);
}

function destinationKey(outcome: End["outcome"]): string {
  return JSON.stringify(outcome.kind === "delivered" ? outcome.to : outcome.kind);
}

interface Walked {
  readonly report: TraceReport;
  /** Seconds that the client stays with the endpoint of an end; 0: it does not. */
  readonly stays: (end: End) => number;
  /** All of the node's addresses that are known. */
  readonly nodeAddresses: ReadonlySet<string>;
}

/** An end at which somebody gets the packet. */
interface Arrival {
  readonly end: End;
  readonly delivery: Delivery;
}

/** Why it is not; nothing where it is. */
export function judgeEnds(expected: ExpectedEnd, walked: Walked): readonly string[] {
  const { ends } = walked.report.trace;
  const others = ends.filter(({ outcome }) => !isOf(expected.kind, outcome));
  const wrong = others.map((end) => sayWrong(end, walked.report));
  if (expected.kind === "dropped" || expected.kind === "rejected" || expected.kind === "unreachable") return wrong;
  const arrivals = ends.flatMap((end) => (end.outcome.kind === "delivered" ? { end, delivery: end.outcome } : []));
  const problems = [...wrong, ...judgeSources(expected.masqueraded, arrivals, walked)];
  if (expected.kind === "none") return [...problems, ...judgeUntouched(arrivals, walked)];
  const shares = sharesOf(arrivals);
  return [
    ...problems,
    ...judgeReached(expected.endpoints, shares),
    ...judgeShares(expected, shares),
    ...judgeAffinity(expected.affinity, arrivals, walked),
  ];
}

function isOf(kind: ExpectedEnd["kind"], { kind: found }: Outcome): boolean {
  if (kind === "dropped") return found === "dropped" || found === "policy";
  if (kind === "rejected") return found === "rejected" || found === "refused";
  if (kind === "unreachable") return false;
  return found === "delivered";
}

function sayWrong(end: End, report: TraceReport): string {
  const why = end.outcome.kind === "delivered" ? [] : sayDetails(end);
  const reached = end.outcome.kind === "delivered" ? "reaches " : "";
  return [`${reached}${sayOutcome(end, report)}`, ...why].join(": ");
}

interface Share {
  readonly share: Fraction;
  readonly possible: boolean;
}

/** By endpoint, however it is reached. */
function sharesOf(arrivals: readonly Arrival[]): ReadonlyMap<string, Share> {
  const shares = new Map<string, Share>();
  for (const { end, delivery } of arrivals) {
    const place = placeOf(delivery);
    const { share, possible } = shares.get(place) ?? { share: NEVER, possible: false };
    shares.set(place, { share: plus(share, end.share), possible: possible || end.possible });
  }
  return shares;
}

function placeOf({ to: { address, port } }: Delivery): string {
  return printHostPort(address, port);
}

function judgeReached(endpoints: readonly string[], shares: ReadonlyMap<string, Share>): readonly string[] {
  const missed = endpoints.filter((endpoint) => !shares.has(endpoint));
  const surplus = [...shares.keys()].filter((endpoint) => !endpoints.includes(endpoint));
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
function judgeShares({ endpoints, probability }: Reaches, shares: ReadonlyMap<string, Share>): readonly string[] {
  const isSaid = probability.size > 0;
  if (!isSaid && (shares.size !== endpoints.length || endpoints.some((endpoint) => !shares.has(endpoint)))) return [];
  const equal = { value: 1 / endpoints.length, tolerance: 1e-6, text: `1/${endpoints.length}` };
  return endpoints.flatMap((endpoint) => {
    const found = shares.get(endpoint);
    // That it is not reached at all has been said.
    if (found === undefined) return [];
    const { share, possible } = found;
    const wanted = probability.get(endpoint) ?? equal;
    if (possible) return isSaid ? [`what reaches ${endpoint} is not left to chance`] : [];
    if (Math.abs(numberOf(share) - wanted.value) <= wanted.tolerance) return [];
    return [`reaches ${endpoint} with probability ${printShare(share)}, not ${wanted.text}`];
  });
}

/** What the node itself sends comes from an address of the node either way. */
function judgeSources(
  expected: boolean | undefined,
  arrivals: readonly Arrival[],
  { report, nodeAddresses }: Walked,
): readonly string[] {
  if (expected === undefined) return [];
  const isOwn = report.trace.packet.origin.kind === "node";
  const wrong = arrivals.filter(({ delivery: { source, masqueradedBy } }) => {
    const eitherWay = isOwn && (source === undefined || nodeAddresses.has(source));
    return !eitherWay && masqueradedBy.length > 0 !== expected;
  });
  return wrong.map(({ delivery }) => {
    return `${placeOf(delivery)}: ${expected ? "not masqueraded" : sayMasquerade(delivery.masqueradedBy).join()}`;
  });
}

function judgeUntouched(arrivals: readonly Arrival[], { report }: Walked): readonly string[] {
  return arrivals.flatMap(({ end, delivery }) => (delivery.translatedBy ? sayWrong(end, report) : []));
}

function judgeAffinity(
  expected: Reaches["affinity"],
  arrivals: readonly Arrival[],
  { stays }: Walked,
): readonly string[] {
  if (expected === undefined) return [];
  return arrivals.flatMap(({ end, delivery }) => {
    const seconds = stays(end);
    if ((typeof expected === "boolean" ? seconds > 0 : seconds) === expected) return [];
    const found = seconds === 0 ? "does not stay with it" : `stays with it for ${seconds} s`;
    return [`${placeOf(delivery)}: a client ${found}`];
  });
}
