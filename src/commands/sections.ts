// Which sections do states have, each in the language of its own tool?
import { printAddresses } from "../state/address-text.ts";
import { printSets } from "../state/ipset-text.ts";
import { printTables } from "../state/iptables-print.ts";
import { wholeIpvs } from "../state/ipvs-whole.ts";
import { printServers } from "../state/ipvsadm-text.ts";
import type { KernelState, Rule } from "../state/kernel-state.ts";
import { printSysctls } from "../state/sysctl-text.ts";

/** In the order in which they are printed and can be carried out. */
export const SECTIONS = ["sysctl", "ipset", "iptables", "ip6tables", "ipvs", "addresses"] as const;

export type SectionName = (typeof SECTIONS)[number];

/** One section of the states of a node, at most one for each family; `explain` puts its reason before each rule. */
export function* printSection(states: readonly KernelState[], name: SectionName, explain: boolean): Iterable<string> {
  switch (name) {
    case "sysctl":
      // Families agree in what both of them need.
      return yield* new Set(states.flatMap(({ sysctls }) => printSysctls(sysctls)));
    case "ipset":
      return yield* printSets(states.flatMap((state) => wholeIpvs(state).sets));
    case "iptables":
    case "ip6tables":
      for (const state of states.filter(({ family }) => TABLES_SECTION[family] === name)) {
        yield* printTables(state, explain ? explained : undefined);
      }
      return;
    case "ipvs":
      return yield* printServers(states.flatMap((state) => wholeIpvs(state).servers));
    case "addresses":
      return yield* printAddresses(
        [...new Set(states.flatMap(devicesOf))],
        states.flatMap((state) => wholeIpvs(state).addresses),
      );
  }
}

/** All sections that have something in them, headed by their names and parted by empty lines. */
export function* printSections(states: readonly KernelState[], explain: boolean): Iterable<string> {
  let first = true;
  for (const name of SECTIONS) {
    let empty = true;
    for (const line of printSection(states, name, explain)) {
      if (empty) yield* first ? [`# ${name}`] : ["", `# ${name}`];
      empty = false;
      first = false;
      yield line;
    }
  }
}

const TABLES_SECTION = { IPv4: "iptables", IPv6: "ip6tables" } as const;

function devicesOf({ ipvs }: KernelState): readonly string[] {
  return ipvs?.devices ?? [];
}

function explained({ line, origin }: Rule): string {
  return origin ? `# ${origin.heading}: ${origin.reason}\n${line}` : line;
}
