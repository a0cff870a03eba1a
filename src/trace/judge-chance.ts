// Is a packet one of those that a rule picks by lot, by count, or by its memory?
import { fraction } from "./fraction.ts";
import { FAILS, HOLDS, type Judgement, judged, negated, unknown } from "./judgement.ts";
import type { NthMatch, RandomMatch, RecentMatch } from "./match-kinds.ts";
import type { PacketState } from "./packet-state.ts";
import type { Situation } from "./situation.ts";

/** Where the kernel's draw ends: it takes 31 bits. */
const DRAWS = 2 ** 31;

export function judgeRandom({ threshold, not }: RandomMatch): Judgement {
  if (threshold === 0 || threshold >= DRAWS) return judged(threshold > 0 !== not);
  return negated({ kind: "chance", share: fraction(threshold, DRAWS) }, not);
}

/** Over many packets each number has an equal share. */
export function judgeNth({ every, not }: NthMatch): Judgement {
  return negated(every <= 1 ? HOLDS : { kind: "chance", share: fraction(1, every) }, not);
}

/** A client that was never seen is on no list, unless this packet has put it there. */
export function judgeRecent(match: RecentMatch, { remembered }: PacketState, { packet }: Situation): Judgement {
  if (match.action === "set") return judged(!match.not);
  const before = packet.remembered?.has(match.name) ?? false;
  const hits = match.hits ?? 1;
  if (before && hits > 1) return unknown(`asks how often list ${match.name} has seen it`);
  const seen = before || (hits <= 1 && remembered.includes(match.name));
  return negated(seen ? HOLDS : FAILS, match.not);
}
