// Parses and prints the text of `ipset save`.
import { RuleSyntaxError } from "../errors.ts";
import { type IpSet, type OtherSet, SET_TYPES, type SetHeader } from "./ip-set.ts";
import { parseEntry, printEntry } from "./set-entry.ts";

/** What a hash is made with, unless a header says more entries. It starts with so many places, to which the kernel adds. */
export const HASH = { size: 1024, maxEntries: 65_536 } as const;

/** The range of every bitmap of ours. */
const ALL_PORTS = "0-65535";

const CREATE = /^create (\S+) (\S+)(?: (.*))?$/;
const ADD = /^add (\S+) (\S+)(?: (.*))?$/;

/** Lines that make these sets and fill them: sets by name, entries sorted. `ipset restore` takes them as they are. */
export function printSets(sets: readonly IpSet[]): readonly string[] {
  const sorted = sets.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return sorted.flatMap((set) => [
    printHeader(set),
    ...[...set.entries].sort().map((entry) => printAdd(set.name, entry)),
  ]);
}

/** The line that makes a set. */
export function printHeader(header: SetHeader | OtherSet): string {
  const { name, type, family } = header;
  if ("options" in header) return ["create", name, type, "family", family, ...header.options].join(" ");
  const { maxEntries = HASH.maxEntries, range = ALL_PORTS } = header;
  const size =
    type === "bitmap:port" ? `range ${range}` : `family ${family} hashsize ${HASH.size} maxelem ${maxEntries}`;
  return `create ${name} ${type} ${size}`;
}

/** The header's field for `maxelem` of a hash: none for the default. */
export function sizeOf(maxEntries: number): Pick<SetHeader, "maxEntries"> {
  return maxEntries === HASH.maxEntries ? {} : { maxEntries };
}

/** The header's field for `range` of a bitmap: none for all ports. */
export function rangeOf(range: string): Pick<SetHeader, "range"> {
  return range === ALL_PORTS ? {} : { range };
}

/** The line that adds an entry. */
export function printAdd(set: string, entry: string): string {
  return `add ${set} ${entry}`;
}

interface OpenSet extends SetHeader {
  readonly entries: Set<string>;
}

/**
 * Reads save text; entries become canonical, but for those of a form that none of ours has. Options that tell nothing of what a set holds are passed over, and so are
 * sets of types that are not ours. Throws RuleSyntaxError, with the line, for what is not save text.
 */
export function parseSets(text: string): readonly IpSet[] {
  const sets = new Map<string, OpenSet | "other">();
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    if (line.startsWith("create ")) create(sets, line, index + 1);
    else add(sets, line, index + 1);
  }
  return [...sets.values()].filter((set) => set !== "other");
}

function create(sets: Map<string, OpenSet | "other">, line: string, number: number): void {
  const [, name, written, options = ""] = CREATE.exec(line) ?? [];
  if (name === undefined) throw new RuleSyntaxError(number, line, "not a set");
  const type = SET_TYPES.find((known) => known === written);
  if (type === undefined) {
    sets.set(name, "other");
    return;
  }
  const inet = / family inet6 /.test(` ${options} `) ? "inet6" : "inet";
  const most = Number(/ maxelem (\d+) /.exec(` ${options} `)?.[1] ?? HASH.maxEntries);
  const range = / range (\d+-\d+) /.exec(` ${options} `)?.[1] ?? ALL_PORTS;
  const made =
    type === "bitmap:port"
      ? ({ family: "none", ...rangeOf(range) } as const)
      : ({ family: inet, ...sizeOf(most) } as const);
  sets.set(name, { name, type, ...made, entries: new Set() });
}

function add(sets: Map<string, OpenSet | "other">, line: string, number: number): void {
  const [, name = "", entry = "", options = ""] = ADD.exec(line) ?? [];
  const set = sets.get(name);
  if (set === undefined) throw new RuleSyntaxError(number, line, "neither a set nor an entry of one above");
  if (set === "other") return;
  const written = `${entry}${isException(options) ? " nomatch" : ""}`;
  const parts = parseEntry(set, written);
  set.entries.add(parts === undefined ? written : printEntry(set.type, parts));
}

/** Among the options; a comment of the operator's own, in quotation marks, may say anything. */
function isException(options: string): boolean {
  return options
    .replace(/"[^"]*"/g, "")
    .split(" ")
    .includes("nomatch");
}
