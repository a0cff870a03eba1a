// How is a plan written in the languages of the tools that would carry it out?
import { single } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import { printAddresses } from "../state/address-text.ts";
import { printAdd, printHeader } from "../state/ipset-text.ts";
import type { SetChange } from "../state/set-change.ts";
import { printSysctls } from "../state/sysctl-text.ts";
import type { Plan, Step } from "./plan.ts";
import { restoreText } from "./restore-text.ts";
import { printRetirement, printServerChange } from "./server-commands.ts";

/** What takes the lines: `sysctl -p`, `nfacct restore`, `ipset restore`, `iptables-restore --noflush`, `ipvsadm -R`, `ip -batch`. */
export const RESTORE_TOOLS = ["sysctl", "nfacct", "ipset", "iptables", "ip6tables", "ipvs", "addresses"] as const;

export type RestoreTool = (typeof RESTORE_TOOLS)[number];

/** A tool's part, in the order in which parts are carried out; a tool may come again. */
interface Part {
  readonly tool: RestoreTool;
  readonly lines: Iterable<string>;
}

/** All parts of plans, each headed by its tool and parted by empty lines; steps of one tool in a row are one part. */
export function* printRestore(plans: readonly Plan[]): Iterable<string> {
  let last: RestoreTool | undefined;
  for (const { tool, lines } of stepsOf(plans).map(partOf)) {
    if (tool !== last) yield* last === undefined ? [`# ${tool}`] : ["", `# ${tool}`];
    last = tool;
    yield* lines;
  }
}

/** What one tool has to do, alone and without heading. */
export function* printRestoreOf(plans: readonly Plan[], wanted: RestoreTool): Iterable<string> {
  for (const { tool, lines } of stepsOf(plans).map(partOf)) if (tool === wanted) yield* lines;
}

/** What both families need is done once: made by the first, and taken away by the last. */
function stepsOf(plans: readonly Plan[]): readonly Step[] {
  const steps = plans.flatMap((plan) => plan.steps);
  return steps.filter((step, index) => {
    if (step.kind === "remove-device") return !steps.slice(index + 1).some((other) => isSame(step, other));
    return !isShared(step) || !steps.slice(0, index).some((other) => isSame(step, other));
  });
}

function isShared({ kind }: Step): boolean {
  return kind === "sysctl" || kind === "counter" || kind === "device";
}

function isSame(step: Step, other: Step): boolean {
  return step.kind === other.kind && JSON.stringify(step) === JSON.stringify(other);
}

const TABLES_TOOL: Readonly<Record<Family, RestoreTool>> = { IPv4: "iptables", IPv6: "ip6tables" };

function partOf(step: Step): Part {
  switch (step.kind) {
    case "sysctl":
      return { tool: "sysctl", lines: printSysctls([step]) };
    case "counter":
      return { tool: "nfacct", lines: [`{ pkts = 0, bytes = 0 } = ${step.name};`] };
    case "iptables":
      return { tool: TABLES_TOOL[step.family], lines: withoutEnds(restoreText(step.changes)) };
    case "device":
      return { tool: "addresses", lines: printAddresses([step.name], []) };
    case "remove-device":
      return { tool: "addresses", lines: [`link del ${step.name}`] };
    case "bind":
      return { tool: "addresses", lines: step.addresses.map((each) => addressLine("add", each, step.device)) };
    case "unbind":
      return { tool: "addresses", lines: step.addresses.map((each) => addressLine("del", each, step.device)) };
    case "sets":
      return { tool: "ipset", lines: step.changes.flatMap(setLines) };
    case "servers":
      return { tool: "ipvs", lines: step.changes.map(printServerChange) };
    case "retire":
      return { tool: "ipvs", lines: step.reals.map(printRetirement) };
  }
}

function addressLine(command: "add" | "del", address: string, device: string): string {
  return `address ${command} ${single(address)} dev ${device}`;
}

function setLines(change: SetChange): readonly string[] {
  switch (change.kind) {
    case "create":
      return [printHeader(change.set)];
    case "destroy":
      return [`destroy ${change.name}`];
    case "swap":
      return [`swap ${change.name} ${change.other}`];
    case "add":
      return [...change.entries].map((entry) => printAdd(change.set.name, entry));
    case "remove":
      return [...change.entries].map((entry) => `del ${change.set.name} ${entry.replace(/ nomatch$/, "")}`);
  }
}

function* withoutEnds(lines: Iterable<string>): Iterable<string> {
  for (const line of lines) yield line.trimEnd();
}
