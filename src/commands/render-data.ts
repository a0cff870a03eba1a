// What would be in the kernel, as data?
import { type Owners, ownerOf, ownersIn } from "../plan/owners.ts";
import { type Chain, emptyState, type KernelState, type Rule, TABLES, type TableName } from "../state/kernel-state.ts";
import { sharedChains } from "../state/whole-tables.ts";
import type { Data } from "./data-text.ts";
import { ipvsData } from "./render-ipvs-data.ts";

/** All states, one for each family. Chains of a Service are written out when their turn comes. */
export function renderData(states: readonly KernelState[]): Data {
  return { families: states.map(familyData) };
}

function familyData(state: KernelState): Data {
  const { family, sysctls, counters, ipvs } = state;
  const tables = TABLES.filter((table) => state.tables.has(table));
  return {
    family,
    sysctls: sysctls.map((setting) => ({ ...setting })),
    counters,
    tables: tables.map((name) => ({ name, chains: chainsOf(state, name) })),
    ...(ipvs && ipvsData(state, ipvs.devices)),
  };
}

function* chainsOf(state: KernelState, table: TableName): Iterable<Data> {
  const owners = ownersIn(table, state, emptyState(state.family));
  for (const chain of sharedChains(state, table).values()) yield chainData(chain, owners);
  for (const fragment of state.fragments) {
    for (const chain of fragment.chains(table)) yield { ...chainData(chain, owners), servicePort: ownerOf(fragment) };
  }
}

function chainData({ name, hold, rules }: Chain, owners: Owners) {
  return { name, hold, rules: rules.map((rule) => ruleData(rule, owners.wanted(rule))) };
}

function ruleData({ line, origin }: Rule, servicePort: string | undefined): Data {
  return { line, servicePort, template: origin?.template, heading: origin?.heading, reason: origin?.reason };
}
