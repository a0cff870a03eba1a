// Parses the matches statistic and recent.

import { parseAddressBits } from "./network.ts";
import { type MatchParser, parseNumber, plainOptions, type RuleOption, type Side } from "./options.ts";

/** Holds with probability `threshold` / 2^31; with `not`, the rest. */
export interface RandomMatch {
  readonly kind: "random";
  readonly threshold: number;
  readonly not: boolean;
}

/** Holds for one packet in `every`, by count: the one numbered `packet`, from 0. */
export interface NthMatch {
  readonly kind: "nth";
  readonly every: number;
  readonly packet: number;
  readonly not: boolean;
}

/**
 * A list of addresses seen before (xt_recent). `set` adds the address and always matches (with `not`, never); `check`
 * tests it, `update` tests it and updates its time, `remove` tests and removes it.
 */
export interface RecentMatch {
  readonly kind: "recent";
  readonly action: "set" | "check" | "update" | "remove";
  /** `DEFAULT` where the rule names none. */
  readonly name: string;
  readonly side: Side;
  /** Canonical; addresses are cut to it. */
  readonly mask?: string;
  /** Seen within this many seconds. */
  readonly seconds?: number;
  /** At least this many times. */
  readonly hits?: number;
  /** Older ones are forgotten on the way. */
  readonly reap: boolean;
  /** With the same TTL as well. */
  readonly ttl: boolean;
  readonly not: boolean;
}

/** Matches of `-m statistic` and `-m recent`. */
export type StatisticMatch = RandomMatch | NthMatch | RecentMatch;

/** The kernel draws one of so many numbers, and the rule holds for those below its threshold. */
const DRAWS = 2 ** 31;

const PROBABILITY = /^(?:0(?:\.\d+)?|1(?:\.0+)?)$/;

const ACTIONS: ReadonlyMap<string, RecentMatch["action"]> = new Map([
  ["--set", "set"],
  ["--rcheck", "check"],
  ["--update", "update"],
  ["--remove", "remove"],
]);

const RECENT_OPTIONS: readonly string[] = [
  "--seconds",
  "--hitcount",
  "--reap",
  "--rttl",
  "--name",
  "--mask",
  "--rsource",
  "--rdest",
];

/** iptables rounds a probability to the nearest threshold, and prints eleven decimals, which give it back. */
export const parseStatistic: MatchParser<StatisticMatch> = ([mode, first, ...more]) => {
  if (mode?.name !== "--mode" || mode.not || first === undefined) return undefined;
  const match = mode.values.join() === "random" ? parseRandom(first, more) : parseNth(mode, first, more);
  return match && [match];
};

export const parseRecent: MatchParser<StatisticMatch> = (all) => {
  const asked = all.filter(({ name }) => ACTIONS.has(name));
  const [{ name, not, values } = { name: "", not: false, values: [] }, ...others] = asked;
  const action = ACTIONS.get(name);
  const options = plainOptions(
    all.filter((option) => !asked.includes(option)),
    RECENT_OPTIONS,
  );
  if (action === undefined || options === undefined || others.length > 0 || values.length > 0) return undefined;
  const rest = parseRecentOptions(options);
  return rest && [{ kind: "recent", action, not, ...rest }];
};

function parseRandom({ name, values, not }: RuleOption, more: readonly RuleOption[]): StatisticMatch | undefined {
  const [text = "", ...rest] = values;
  if (name !== "--probability" || !PROBABILITY.test(text) || rest.length + more.length > 0) return undefined;
  return { kind: "random", threshold: Math.round(Number(text) * DRAWS), not };
}

function parseNth(mode: RuleOption, every: RuleOption, more: readonly RuleOption[]): StatisticMatch | undefined {
  if (mode.values.join() !== "nth") return undefined;
  const options = plainOptions([{ ...every, not: false }, ...more], ["--every", "--packet"]);
  const count = parseNumber(options?.get("--every") ?? "", DRAWS);
  const packet = parseNumber(options?.get("--packet") ?? "0", DRAWS);
  if (every.name !== "--every" || count === undefined || packet === undefined || packet >= count) return undefined;
  return { kind: "nth", every: count, packet, not: every.not };
}

function parseRecentOptions(options: ReadonlyMap<string, string>) {
  const seconds = parseCount(options.get("--seconds"));
  const hits = parseCount(options.get("--hitcount"));
  const mask = options.get("--mask");
  if (seconds === false || hits === false || (mask !== undefined && !parseAddressBits(mask))) return undefined;
  return {
    name: options.get("--name") ?? "DEFAULT",
    side: options.has("--rdest") ? ("destination" as const) : ("source" as const),
    reap: options.has("--reap"),
    ttl: options.has("--rttl"),
    ...(mask === undefined ? {} : { mask }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(hits === undefined ? {} : { hits }),
  };
}

/** Undefined where none is asked for, false where it is none. */
function parseCount(text: string | undefined): number | undefined | false {
  return text === undefined ? undefined : (parseNumber(text, DRAWS) ?? false);
}
