// Which sections does a state have, each in the language of its own tool?
import { printTables } from "../state/iptables-print.ts";
import type { KernelState, Rule } from "../state/kernel-state.ts";
import { printSysctls } from "../state/sysctl-text.ts";

export const SECTIONS = ["sysctl", "iptables", "ip6tables"] as const;

export type SectionName = (typeof SECTIONS)[number];

/** One section; `explain` puts the reason of each rule on a comment line before it. */
export function* printSection(state: KernelState, name: SectionName, explain: boolean): Iterable<string> {
  if (name === "sysctl") yield* printSysctls(state.sysctls);
  else if (name === tablesSection(state)) yield* printTables(state, explain ? explained : undefined);
}

/** All sections that have something in them, headed by their names and parted by empty lines. */
export function* printSections(states: readonly KernelState[], explain: boolean): Iterable<string> {
  let first = true;
  for (const name of SECTIONS) {
    for (const state of states) {
      let empty = true;
      for (const line of printSection(state, name, explain)) {
        if (empty) yield* first ? [`# ${name}`] : ["", `# ${name}`];
        empty = false;
        first = false;
        yield line;
      }
    }
  }
}

function tablesSection({ family }: KernelState): SectionName {
  return family === "IPv4" ? "iptables" : "ip6tables";
}

function explained({ line, origin }: Rule): string {
  return origin ? `# ${origin.heading}: ${origin.reason}\n${line}` : line;
}
