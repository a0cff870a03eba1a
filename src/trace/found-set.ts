// What does `ipset save` say of all sets of a node, whoever made them?
import { RuleSyntaxError } from "../errors.ts";

/** A set of any type. Ours are such sets as well. */
export interface FoundSet {
  readonly name: string;
  /** As ipset spells it: `hash:net`, `list:set`. */
  readonly type: string;
  /** Of hashes; others have none. */
  readonly family: "inet" | "inet6" | "none";
  /** Prefix length to which `hash:ip` and its like cut addresses before they look. */
  readonly netmask?: number;
  /** As `ipset save` prints them, without options other than `nomatch`. */
  readonly entries: Iterable<string>;
}

interface OpenSet extends FoundSet {
  readonly entries: string[];
}

const CREATE = /^create (\S+) (\S+)(.*)$/;
const ADD = /^add (\S+) (\S+)(.*)$/;

/** Reads save text, by name. Throws RuleSyntaxError, with the line, for what is not save text. */
export function readFoundSets(text: string): ReadonlyMap<string, FoundSet> {
  const sets = new Map<string, OpenSet>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    if (!create(sets, line) && !add(sets, line)) {
      throw new RuleSyntaxError(index + 1, line, "neither a set nor an entry of one above");
    }
  }
  return sets;
}

function create(sets: Map<string, OpenSet>, line: string): boolean {
  const [, name, type = "", written = ""] = CREATE.exec(line) ?? [];
  if (name === undefined) return false;
  const options = bare(written);
  const netmask = valueBehind(options, "netmask");
  const family = type.startsWith("hash:") ? (valueBehind(options, "family") === "inet6" ? "inet6" : "inet") : "none";
  sets.set(name, { name, type, family, ...(netmask === undefined ? {} : { netmask: Number(netmask) }), entries: [] });
  return true;
}

function add(sets: Map<string, OpenSet>, line: string): boolean {
  const [, name = "", entry = "", options = ""] = ADD.exec(line) ?? [];
  const set = sets.get(name);
  set?.entries.push(bare(options).includes("nomatch") ? `${entry} nomatch` : entry);
  return set !== undefined;
}

/** Options as words, without what an operator noted in quotation marks. */
function bare(options: string): readonly string[] {
  return options.replace(/"[^"]*"/g, "").split(" ");
}

function valueBehind(options: readonly string[], name: string): string | undefined {
  const at = options.indexOf(name);
  return at < 0 ? undefined : options[at + 1];
}
