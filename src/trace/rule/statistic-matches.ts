// Parses the matches statistic and recent.

import { readAddressBits } from "./network.ts";
import { type MatchReader, plainOptions, type RuleOption, readNumber, type Side } from "./options.ts";

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
 * A list of addresses that were seen. `set` remembers and always holds (with `not`, never); `check` asks, `update` asks
 * and remembers anew, `remove` asks and forgets.
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
export const readStatistic: MatchReader<StatisticMatch> = ([mode, first, ...more]) => {
  if (mode?.name !== "--mode" || mode.not || first === undefined) return undefined;
  const match = mode.values.join() === "random" ? readRandom(first, more) : readNth(mode, first, more);
  return match && [match];
};

export const readRecent: MatchReader<StatisticMatch> = (all) => {
  const asked = all.filter(({ name }) => ACTIONS.has(name));
  const [{ name, not, values } = { name: "", not: false, values: [] }, ...others] = asked;
  const action = ACTIONS.get(name);
  const options = plainOptions(
    all.filter((option) => !asked.includes(option)),
    RECENT_OPTIONS,
  );
  if (action === undefined || options === undefined || others.length > 0 || values.length > 0) return undefined;
  const rest = readRecentOptions(options);
  return rest && [{ kind: "recent", action, not, ...rest }];
};

function readRandom({ name, values, not }: RuleOption, more: readonly RuleOption[]): StatisticMatch | undefined {
  const [text = "", ...rest] = values;
  if (name !== "--probability" || !PROBABILITY.test(text) || rest.length + more.length > 0) return undefined;
  return { kind: "random", threshold: Math.round(Number(text) * DRAWS), not };
}

function readNth(mode: RuleOption, every: RuleOption, more: readonly RuleOption[]): StatisticMatch | undefined {
  if (mode.values.join() !== "nth") return undefined;
  const options = plainOptions([{ ...every, not: false }, ...more], ["--every", "--packet"]);
  const count = readNumber(options?.get("--every") ?? "", DRAWS);
  const packet = readNumber(options?.get("--packet") ?? "0", DRAWS);
  if (every.name !== "--every" || count === undefined || packet === undefined || packet >= count) return undefined;
  return { kind: "nth", every: count, packet, not: every.not };
}

function readRecentOptions(options: ReadonlyMap<string, string>) {
  const seconds = readCount(options.get("--seconds"));
  const hits = readCount(options.get("--hitcount"));
  const mask = options.get("--mask");
  if (seconds === false || hits === false || (mask !== undefined && !readAddressBits(mask))) return undefined;
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
function readCount(text: string | undefined): number | undefined | false {
  return text === undefined ? undefined : (readNumber(text, DRAWS) ?? false);
}
