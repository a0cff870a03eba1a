// Reads the dumps of --rules and joins them to the ruleset of one node.

import { InputError } from "../../errors.ts";
import type { Family } from "../../net/family.ts";
import type { Dump } from "../../state/dump.ts";
import { missingParts } from "../../state/dump-missing.ts";
import type { DumpGap, MissingPart } from "../../state/dump-part.ts";
import type { Chains, TableName } from "../../state/kernel-state.ts";
import type { InterfaceAddress } from "../../state/node-facts.ts";
import { type Ruleset, rulesetOfDump } from "../../trace/ruleset.ts";
import { readDump, readDumpText } from "../dump-file.ts";

/** Dumps of one node, each with its file. */
type NamedDumps = readonly { readonly path: string; readonly dump: Dump }[];

/**
 * Reads all files; `family` is that of tables that do not tell. Rejects with InputError, also for a file without
 * rules.
 */
export async function readDumps(paths: readonly string[], family: Family | undefined): Promise<NamedDumps> {
  const dumps: { path: string; dump: Dump }[] = [];
  for (const path of paths) {
    const dump = readDump(path, await readDumpText(path), family);
    if (dump.told.size === 0 && dump.gaps.length === 0) throw new InputError({ source: path }, EMPTY);
    dumps.push({ path, dump });
  }
  return dumps;
}

const EMPTY = "no rules in this file; write the output of iptables-save, run as root, to it";

/**
 * All dumps together, as one node has them; what they do not show is missing from it. No addresses: those of the node
 * are not known. Throws InputError where two files have the same table.
 */
export function rulesetOfDumps(dumps: NamedDumps, family: Family, addresses: readonly InterfaceAddress[]): Ruleset {
  const { own, missing } = joinBackends(dumps, family);
  const tables = new Map<TableName, Chains>();
  for (const { path, dump } of own) {
    for (const [name, chains] of dump.states.get(family)?.tables ?? []) {
      if (tables.has(name)) throw new InputError({ source: path }, `table ${name} of ${family} is in another file too`);
      tables.set(name, chains);
    }
  }
  const heads = own.map(({ dump }) => headsOf(dump.texts.tables.get(family) ?? ""));
  const ruleset = rulesetOf(dumps, family, { heads: heads.join(""), addresses });
  return { ...ruleset, tables, missing };
}

interface JoinedBackends {
  /** The dumps without those of the other iptables backend. */
  readonly own: NamedDumps;
  readonly missing: readonly MissingPart[];
}

/**
 * A dump that warns of tables of the other backend is settled by a dump of those tables, if they are empty; it is told
 * from further tables of the first backend by a table that is in both. Rules of both backends cannot be traced together: hooks of equal priority run in the order of their registration, which no
 * dump shows.
 */
function joinBackends(dumps: NamedDumps, family: Family): JoinedBackends {
  const partsOf = (some: NamedDumps) =>
    missingParts(
      some.map(({ dump }) => dump),
      family,
    );
  const warned = dumps.filter(({ dump }) => dump.gaps.some((gap) => isOfBackend(gap) && gap.family === family));
  const tablesOf = ({ dump }: NamedDumps[number]) => [...(dump.states.get(family)?.tables.keys() ?? [])];
  const seen = new Set(warned.flatMap(tablesOf));
  const others = dumps.filter((each) => !warned.includes(each) && tablesOf(each).some((table) => seen.has(table)));
  if (others.length === 0) return { own: dumps, missing: partsOf(dumps) };
  const own = dumps.filter((each) => !others.includes(each));
  const rest = partsOf(own).filter(({ part }) => part !== "tables");
  return { own, missing: others.every(({ dump }) => isIdle(dump, family)) ? rest : [bothBackends(family), ...rest] };
}

function isOfBackend({ kind }: DumpGap): boolean {
  return kind === "legacy" || kind === "nft";
}

function isIdle({ texts }: Dump, family: Family): boolean {
  return !/^(?:\[\d+:\d+\] )?-A |^:\S+ DROP /m.test(texts.tables.get(family) ?? "");
}

function bothBackends(family: Family): MissingPart {
  const reason = "both iptables backends have rules, and the order in which they run is not known";
  return { part: "tables", family, reason, remedy: "remove the rules of one backend from the node" };
}

interface RulesetParts {
  readonly heads: string;
  readonly addresses: readonly InterfaceAddress[];
}

function rulesetOf(dumps: NamedDumps, family: Family, { heads, addresses }: RulesetParts): Ruleset {
  const join = (part: "sets" | "servers") => dumps.map(({ dump }) => dump.texts[part]).join("");
  const known = addresses.length === 0 ? {} : { addresses };
  return rulesetOfDump({ family, tables: heads, sets: join("sets"), servers: join("servers"), ...known });
}

/** Tables without their rules, which have been read already. */
function headsOf(text: string): string {
  return [...text.matchAll(/^(?:[*:].*|COMMIT)\n/gm)].join("");
}
