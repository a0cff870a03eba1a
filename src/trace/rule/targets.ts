// Parses `-j NAME` and `-g NAME` by the name of the target, and lists all kinds of targets.

import { parseAddress } from "../../net/address.ts";
import { parseSides } from "./address-matches.ts";
import {
  type MarkChange,
  type MarkingTarget,
  parseConnmarkTarget,
  parseDscpTarget,
  parseMarkTarget,
  parseTosTarget,
} from "./marks.ts";
import {
  parseDnat,
  parseMasquerade,
  parseNetmap,
  parseRedirect,
  parseSnat,
  type TranslatingTarget,
} from "./nat-targets.ts";
import {
  ALL_BITS,
  LAST_PORT,
  type NumberRange,
  parseMasked,
  parseNumber,
  parseRange,
  parseRuleOptions,
  plainOptions,
  type RuleOption,
  type Side,
  type TargetParser,
} from "./options.ts";
import type { Word } from "./split.ts";

/** The verdict of this table, or (RETURN) of this chain. */
interface VerdictTarget {
  readonly kind: "verdict";
  readonly verdict: "ACCEPT" | "DROP" | "RETURN";
}

/** Enters another chain; a `goto` returns to the caller of the current chain. */
interface ChainTarget {
  readonly kind: "jump" | "goto";
  readonly chain: string;
}

/** Dropped with an ICMP error or a TCP reset to the sender. */
interface RejectTarget {
  readonly kind: "reject";
  /** As iptables spells it: `icmp-port-unreachable`, `tcp-reset`, `icmp6-adm-prohibited`; absent: port unreachable. */
  readonly answer?: string;
}

/** The packet belongs to no connection. */
interface NotrackTarget {
  readonly kind: "notrack";
}

/** Settles zone, helper, time-outs or events of the connection to be. */
interface ConnectionTarget {
  readonly kind: "connection-settings";
  readonly zone?: string;
  readonly helper?: string;
  readonly text: string;
}

/** Hands the packet to a socket on this node, or drops it when there is none. */
interface TproxyTarget extends MarkChange {
  readonly kind: "tproxy";
  /** Canonical; absent or unspecified: the first address of the interface it came by. */
  readonly address?: string;
  /** 0: the packet's own. */
  readonly port: number;
}

/** A program on the node decides; without one, `bypass` lets the packet on, else it is dropped. */
interface QueueTarget {
  readonly kind: "queue";
  readonly queues: NumberRange;
  readonly bypass: boolean;
}

/** Changes a set; the packet goes on. */
interface SetTarget {
  readonly kind: "set";
  readonly action: "add" | "remove";
  readonly name: string;
  readonly sides: readonly Side[];
}

/** Logs, counts or touches what decides nothing here (TTL, MSS, checksum); the packet goes on. */
interface PassTarget {
  readonly kind: "pass";
  readonly name: string;
  readonly text: string;
}

/** The rule only counts. */
interface NoTarget {
  readonly kind: "none";
}

/** Not understood. */
interface UnknownTarget {
  readonly kind: "unknown";
  /** As the rule has it. */
  readonly text: string;
}

/** Any target of a rule. */
export type Target =
  | VerdictTarget
  | ChainTarget
  | RejectTarget
  | TranslatingTarget
  | MarkingTarget
  | NotrackTarget
  | ConnectionTarget
  | TproxyTarget
  | QueueTarget
  | SetTarget
  | PassTarget
  | NoTarget
  | UnknownTarget;

/** After these the packet goes on with the next rule, and nothing that is walked here has changed. */
const PASSING: ReadonlySet<string> = new Set([
  "AUDIT",
  "CHECKSUM",
  "CLASSIFY",
  "CONNSECMARK",
  "ECN",
  "HL",
  "IDLETIMER",
  "LED",
  "LOG",
  "NFLOG",
  "RATEEST",
  "SECMARK",
  "TCPMSS",
  "TCPOPTSTRIP",
  "TEE",
  "TRACE",
  "TTL",
  "ULOG",
]);

/** Targets of iptables that are not walked; without this list those without options would be taken for chains. */
const UNKNOWN: ReadonlySet<string> = new Set(["CLUSTERIP", "DNPT", "HMARK", "SNPT", "SYNPROXY"]);

const QUEUE_OPTIONS: readonly string[] = ["--queue-num", "--queue-balance", "--queue-bypass", "--queue-cpu-fanout"];

const PARSERS: ReadonlyMap<string, TargetParser<Target>> = new Map<string, TargetParser<Target>>([
  ["ACCEPT", verdict("ACCEPT")],
  ["DROP", verdict("DROP")],
  ["RETURN", verdict("RETURN")],
  ["REJECT", parseReject],
  ["DNAT", parseDnat],
  ["SNAT", parseSnat],
  ["MASQUERADE", parseMasquerade],
  ["REDIRECT", parseRedirect],
  ["NETMAP", parseNetmap],
  ["MARK", parseMarkTarget],
  ["CONNMARK", parseConnmarkTarget],
  ["TOS", parseTosTarget],
  ["DSCP", parseDscpTarget],
  ["CT", parseConnectionSettings],
  ["NOTRACK", (options) => (options.length === 0 ? { kind: "notrack" } : undefined)],
  ["TPROXY", parseTproxy],
  ["NFQUEUE", parseQueue],
  ["QUEUE", (options) => (options.length === 0 ? queue(0, 0, false) : undefined)],
  ["SET", parseSetChange],
]);

/** What `-j NAME` means; a name that is no target is a chain. `words` are its options, `text` all of it. */
export function parseTarget(name: string, words: readonly Word[], text: string): Target {
  if (PASSING.has(name)) return { kind: "pass", name, text };
  const options = parseRuleOptions(words);
  const reader = PARSERS.get(name);
  if (options && reader) return reader(options, text) ?? { kind: "unknown", text };
  if (reader || UNKNOWN.has(name) || words.length > 0 || name === "") return { kind: "unknown", text };
  return { kind: "jump", chain: name };
}

function verdict(word: "ACCEPT" | "DROP" | "RETURN"): TargetParser<Target> {
  return (options) => (options.length === 0 ? { kind: "verdict", verdict: word } : undefined);
}

function parseReject(all: readonly RuleOption[]): Target | undefined {
  const options = plainOptions(all, ["--reject-with"]);
  const answer = options?.get("--reject-with");
  return options && answer !== "" ? { kind: "reject", ...(answer === undefined ? {} : { answer }) } : undefined;
}

function parseConnectionSettings(all: readonly RuleOption[], text: string): Target | undefined {
  if (all.some(({ not }) => not)) return undefined;
  const value = (name: string) => all.find((option) => option.name === name)?.values.join(" ");
  if (value("--notrack") === "" && all.length === 1) return { kind: "notrack" };
  const zone = value("--zone") ?? value("--zone-orig") ?? value("--zone-reply");
  const helper = value("--helper");
  return {
    kind: "connection-settings",
    ...(zone === undefined ? {} : { zone }),
    ...(helper === undefined ? {} : { helper }),
    text,
  };
}

function parseTproxy(all: readonly RuleOption[]): Target | undefined {
  const options = plainOptions(all, ["--on-port", "--on-ip", "--tproxy-mark"]);
  const port = parseNumber(options?.get("--on-port") ?? "0", LAST_PORT);
  const mark = parseMasked(options?.get("--tproxy-mark") ?? "0/0", ALL_BITS);
  const written = options?.get("--on-ip");
  const address = written === undefined ? undefined : parseAddress(written)?.text;
  if (!options || port === undefined || !mark || (written !== undefined && address === undefined)) return undefined;
  const any = address === undefined || address === "0.0.0.0" || address === "::";
  return { kind: "tproxy", port, clear: mark.mask, xor: mark.value, ...(any ? {} : { address }) };
}

function parseQueue(all: readonly RuleOption[]): Target | undefined {
  const options = plainOptions(all, QUEUE_OPTIONS);
  const range = parseRange(options?.get("--queue-balance") ?? options?.get("--queue-num") ?? "0", ":", LAST_PORT);
  return options && range && queue(range.from, range.to, options.has("--queue-bypass"));
}

function queue(from: number, to: number, bypass: boolean): Target {
  return { kind: "queue", queues: { from, to }, bypass };
}

/** An entry that sets the packet's mark (`--map-set`) is not understood. */
function parseSetChange(all: readonly RuleOption[]): Target | undefined {
  const [{ name, values, not } = { name: "", values: [], not: false }] = all;
  const [set = "", places = "", ...more] = values;
  const sides = parseSides(places);
  if (not || sides === undefined || more.length > 0 || (name !== "--add-set" && name !== "--del-set")) return undefined;
  return { kind: "set", action: name === "--add-set" ? "add" : "remove", name: set, sides };
}
