// For how long does a client stay with the endpoint that it was sent to?

import { parseRule } from "../trace/rule/rule.ts";
import type { RecentMatch } from "../trace/rule/statistic-matches.ts";
import type { Field } from "../trace/ruleset.ts";
import { type End, type Step, type Trace, wayTo } from "../trace/trace.ts";
import { walk } from "../trace/walk/hooks.ts";

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
  return placeOf(one) === placeOf(other);
}

function placeOf(outcome: End["outcome"]): string {
  return JSON.stringify(outcome.kind === "delivered" ? outcome.to : outcome.kind);
}
