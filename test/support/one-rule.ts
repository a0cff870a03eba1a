// Is a rule for a packet? Asked of a walk over a node that has this rule alone, and drops what it is for.
import type { TableName } from "../../src/state/kernel-state.ts";
import type { Packet } from "../../src/trace/packet.ts";
import { printShare } from "../../src/trace/probability.ts";
import { type DumpTexts, type Ruleset, rulesetOfDump } from "../../src/trace/ruleset.ts";
import type { Outcome } from "../../src/trace/trace.ts";
import { walk } from "../../src/trace/walk/hooks.ts";

export interface Asked {
  readonly hook?: "PREROUTING" | "INPUT" | "FORWARD" | "OUTPUT" | "POSTROUTING";
  readonly table?: TableName;
  readonly packet?: Partial<Packet>;
  readonly dump?: Partial<DumpTexts>;
}

/** A node with one address, and no rules but these. */
export function nodeWith(tables: string, given: Partial<DumpTexts> = {}): Ruleset {
  const addresses = [
    { interface: "lo", address: "127.0.0.1" },
    { interface: "eth0", address: "192.0.2.10" },
    { interface: "eth0", address: "2001:db8:a::10" },
  ];
  return rulesetOfDump({ family: "IPv4", tables, addresses, ...given });
}

/** TCP from a client outside to a pod, through the node. */
export function buildPacket(given: Partial<Packet> = {}): Packet {
  return {
    family: "IPv4",
    protocol: 6,
    origin: { kind: "arrives", source: "198.18.0.9" },
    destination: "10.244.0.7",
    destinationPort: 8080,
    ...given,
  };
}

/** Lines of chains and rules as the whole of a table. */
export function tableText(table: TableName, lines: readonly string[]): string {
  const hooks = ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"].map((hook) => `:${hook} ACCEPT [0:0]`);
  const chains = lines.flatMap((line) => /^-A (\S+)/.exec(line)?.[1] ?? []).map((name) => `:${name} - [0:0]`);
  const own = [...new Set(chains)].filter((line) => !hooks.some((hook) => hook.startsWith(line.slice(0, -7))));
  return [`*${table}`, ...hooks, ...own, ...lines, "COMMIT", ""].join("\n");
}

/** `holds`, `fails`, the share for which it holds, or why that is not known. */
export function askRule(words: string, { hook = "FORWARD", table = "filter", packet, dump }: Asked = {}): string {
  const field = nodeWith(tableText(table, [`-A ${hook} ${words} -j DROP`]), dump);
  return answerOf(walk(field, buildPacket(packet)).outcomes);
}

function answerOf(ends: readonly Outcome[]): string {
  const stopped = ends.find(({ verdict }) => verdict.kind === "unknown")?.verdict;
  if (stopped?.kind === "unknown") return stopped.reason;
  const dropped = ends.find(({ verdict }) => verdict.kind === "dropped");
  if (!dropped) return "no match";
  return ends.length === 1 ? "match" : printShare(dropped.probability);
}

/** Every end in a few words. */
export function printEnds(ends: readonly Outcome[]): readonly string[] {
  return ends.map((end) => `${printOutcome(end)}${share(end)}`);
}

function share({ probability, possible }: Outcome): string {
  const text = printShare(probability);
  return possible ? " possibly" : text === "100 %" ? "" : ` ${text}`;
}

function printOutcome({ verdict }: Outcome): string {
  switch (verdict.kind) {
    case "delivered": {
      const { to, source, where } = verdict;
      return `${where} ${to.address}${to.port === undefined ? "" : ` ${to.port}`} from ${source ?? "the node"}`;
    }
    case "dropped":
      return `dropped by ${verdict.by.chain} ${verdict.by.number}`;
    case "policy":
      return `dropped by policy of ${verdict.table} ${verdict.hook}`;
    case "rejected":
      return `rejected ${verdict.answer}`;
    case "refused":
      return `refused by ${verdict.by.hook}`;
    case "unknown":
      return `unknown: ${verdict.reason}`;
  }
}
