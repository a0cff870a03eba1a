// Over what does a packet walk that meets the rules of dumps?
import { InputError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import type { Dump } from "../state/dump.ts";
import type { Chains, TableName } from "../state/kernel-state.ts";
import type { InterfaceAddress } from "../state/node-facts.ts";
import { type Field, fieldOfDump } from "../trace/field.ts";
import { readDump, readDumpText } from "./dump-file.ts";

/** Dumps of one node, each with its file. */
export type NamedDumps = readonly { readonly path: string; readonly dump: Dump }[];

/** Reads all files; `family` is that of tables that do not tell. Rejects with InputError. */
export async function readDumps(paths: readonly string[], family: Family | undefined): Promise<NamedDumps> {
  const dumps: { path: string; dump: Dump }[] = [];
  for (const path of paths) dumps.push({ path, dump: readDump(path, await readDumpText(path), family) });
  return dumps;
}

/**
 * All dumps together, as one node has them. No addresses: those of the node are not known. Throws InputError where two
 * files have the same table.
 */
export function fieldOfDumps(dumps: NamedDumps, family: Family, addresses: readonly InterfaceAddress[]): Field {
  const tables = new Map<TableName, Chains>();
  for (const { path, dump } of dumps) {
    for (const [name, chains] of dump.states.get(family)?.tables ?? []) {
      if (tables.has(name)) throw new InputError({ source: path }, `table ${name} of ${family} is in another file too`);
      tables.set(name, chains);
    }
  }
  const heads = dumps.map(({ dump }) => headsOf(dump.texts.tables.get(family) ?? ""));
  const field = fieldOf(dumps, family, { heads: heads.join(""), addresses });
  return { ...field, tables };
}

/** What no file has and yet is missed, with the tool that would tell. */
export function missedParts(dumps: NamedDumps, family: Family): readonly string[] {
  const hasRules = dumps.some(({ dump }) => dump.texts.tables.has(family));
  const hasServers = dumps.some(({ dump }) => dump.told.has("servers"));
  const isIpvs = dumps.some(({ dump }) => OF_IPVS_MODE.test(dump.texts.sets));
  const tool = family === "IPv4" ? "iptables-save" : "ip6tables-save";
  return [
    ...(hasRules ? [] : [`no rules of ${family} (${tool})`]),
    ...(isIpvs && !hasServers ? ["no virtual servers (ipvsadm -Sn), though its sets are of IPVS mode"] : []),
  ];
}

/** Sets of the Indexed layout have names of their own. */
const OF_IPVS_MODE = /^create KUBE-(?!(?:6-)?IX-)/m;

interface Rest {
  readonly heads: string;
  readonly addresses: readonly InterfaceAddress[];
}

function fieldOf(dumps: NamedDumps, family: Family, { heads, addresses }: Rest): Field {
  const join = (part: "sets" | "servers") => dumps.map(({ dump }) => dump.texts[part]).join("");
  const known = addresses.length === 0 ? {} : { addresses };
  return fieldOfDump({ family, tables: heads, sets: join("sets"), servers: join("servers"), ...known });
}

/** Tables without their rules, which have been read already. */
function headsOf(text: string): string {
  return [...text.matchAll(/^(?:[*:].*|COMMIT)\n/gm)].join("");
}
