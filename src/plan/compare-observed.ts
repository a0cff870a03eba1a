// Compares two observed states, such as the dumps of two nodes, place by place.
import { printAddresses } from "../state/address-text.ts";
import type { DumpPart, MissingPart } from "../state/dump-part.ts";
import { printAdd, printHeader } from "../state/ipset-text.ts";
import { serverKey } from "../state/ipvs-claims.ts";
import { printServers } from "../state/ipvsadm-text.ts";
import { type Chain, emptyState, type KernelState, type Rule, TABLES, type TableName } from "../state/kernel-state.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import { isOurChain } from "../state/ownership.ts";
import { printSysctls } from "../state/sysctl-text.ts";
import type { Difference, Line, Place } from "./difference.ts";
import { editsBetween } from "./edits.ts";
import { ownersIn } from "./owners.ts";
import { diffSysctls } from "./sysctls.ts";

export interface ObservedComparison {
  /** All jumps that we ever put into built-in chains. */
  readonly jumps: readonly Rule[];
  /** What both states show; the rest is not compared. */
  readonly parts: ReadonlySet<DumpPart>;
  /** Tables that one of them does not show. */
  readonly missing: ReadonlySet<MissingPart["part"]>;
}

/** Differences from one observed state to another, in what node proxies own; nothing of other software. */
export function compareObserved(
  from: KernelState,
  to: KernelState,
  { jumps, parts, missing }: ObservedComparison,
): readonly Difference[] {
  const lines = new Set(jumps.map(({ line }) => line));
  const tables = parts.has("tables") ? TABLES.filter((table) => !missing.has(table)) : [];
  const [before, after] = [placesIn(from, { lines, parts, tables }), placesIn(to, { lines, parts, tables })];
  const differences: Difference[] = parts.has("sysctls") ? [...sysctlDifference(from, to)] : [];
  for (const [key, { place }] of [...new Map([...before, ...after])].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [old, now] = [before.get(key), after.get(key)];
    const edits = editsBetween(old?.lines ?? [], now?.lines ?? []);
    if (old && now && edits.every(({ kind }) => kind === "stays")) continue;
    const change = old && now ? "changed" : old ? "gone" : "new";
    differences.push({ family: to.family, place, change, edits });
  }
  return differences;
}

/** By a key whose order is that of the output: settings, sets, servers, addresses, then tables by name. */
type Places = ReadonlyMap<string, { readonly place: Place; readonly lines: readonly Line[] }>;

interface Scope {
  /** Lines of our jumps. */
  readonly lines: ReadonlySet<string>;
  readonly parts: ReadonlySet<DumpPart>;
  readonly tables: readonly TableName[];
}

function placesIn(state: KernelState, { lines: jumps, parts, tables }: Scope): Places {
  const places: [string, { place: Place; lines: readonly Line[] }][] = [];
  const add = (order: string, place: Place, lines: readonly Line[]) =>
    places.push([`${order} ${"name" in place ? place.name : ""}`, { place, lines }]);
  const found = state.ipvs?.kind === "observed" ? state.ipvs : undefined;
  const { sets, servers, addresses } = { sets: [], servers: [], addresses: [], ...found };
  if (parts.has("counters") && state.counters.length > 0) {
    const lines = state.counters.map((text) => ({ text }));
    add("0", { kind: "counters" }, lines);
  }
  for (const set of parts.has("sets") ? sets : []) {
    const entries = [...set.entries].sort().map((entry) => ({ text: printAdd(set.name, entry) }));
    add("1", { kind: "set", name: set.name }, [{ text: printHeader(set) }, ...entries]);
  }
  for (const server of parts.has("servers") ? servers : []) {
    const lines = [...printServers([server])].map((text) => ({ text }));
    add("2", { kind: "server", name: serverKey(server) }, lines);
  }
  if (parts.has("addresses") && addresses.length > 0) {
    const lines = addresses.toSorted().map((address) => ({ text: printAddresses([], [address]).join() }));
    add("3", { kind: "device", name: IPVS_DEVICE }, lines);
  }
  for (const table of tables) {
    for (const { name, lines } of chainsIn(state, table, jumps))
      add(`4 ${table}`, { kind: "chain", table, name }, lines);
  }
  return new Map(places);
}

function chainsIn(state: KernelState, table: TableName, jumps: ReadonlySet<string>) {
  const owners = ownersIn(table, emptyState(state.family), state);
  const lineOf = ({ name, hold }: Chain, rule: Rule): Line => ({
    text: rule.line,
    ...(hold !== "built-in" && { owner: owners.actual(name, rule) }),
  });
  return [...(state.tables.get(table)?.values() ?? [])].flatMap((chain) => {
    const { name, hold, rules } = chain;
    const own = hold === "built-in" ? rules.filter(({ line }) => jumps.has(line)) : rules;
    const isOurs = hold === "built-in" ? own.length > 0 : isOurChain(table, name);
    return isOurs ? [{ name, lines: own.map((rule) => lineOf(chain, rule)) }] : [];
  });
}

/** A setting that has to have at least some value does not differ from a greater one. */
function sysctlDifference(from: KernelState, to: KernelState): readonly Difference[] {
  const before = from.sysctls.filter((setting) => diffSysctls([setting], to.sysctls).length > 0);
  const after = to.sysctls.filter(({ path }) => before.some((each) => each.path === path));
  if (before.length === 0) return [];
  const lines = (settings: KernelState["sysctls"]) => printSysctls(settings).map((text) => ({ text }));
  const edits = editsBetween(lines(before), lines(after));
  return [{ family: to.family, place: { kind: "sysctls" }, change: "changed", edits }];
}
