// Fakes the programs of iptables without a kernel, strictly, below `kernel/command.ts`.
import { KernelError } from "../../src/errors.ts";
import type { Command, RunCommand } from "../../src/kernel/command.ts";
import { targetOf } from "../../src/state/rule.ts";

type FakeTable = Map<string, string[]>;
type FakeTables = Map<string, FakeTable>;

export interface FakeCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly input: string;
  readonly unhurried: boolean;
}

const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  filter: ["INPUT", "FORWARD", "OUTPUT"],
  mangle: ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"],
  nat: ["PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"],
};

const REFUSED = "RULE_APPEND failed (No such file or directory)";

const TARGETS = new Set(["ACCEPT", "DROP", "RETURN", "REJECT", "MARK", "MASQUERADE", "DNAT"]);

/** Refuses what the kernel refuses: jumps to chains that are not there, deleting what is in use or not there. */
export class FakeIptables {
  #tables: FakeTables = new Map();
  /** Every command that was run, with its input. */
  readonly log: FakeCall[] = [];
  /** A rule with this text is refused by the kernel at hand. */
  refuses: string | undefined;
  /** What the tool names: the first rejected rule, every one (iptables-nft), or the COMMIT line (iptables-legacy). */
  names: "rule" | "all" | "commit" = "rule";
  /** Words with which a command fails before it does anything; undefined lets it go on. */
  fault: ((command: Command) => string | undefined) | undefined;
  /** The exit code of such a command. */
  faultCode = "1";
  /** Tables that iptables-save cannot print, because of a rule of other software. */
  readonly unprintable = new Set<string>();
  /** Programs that do not work on this machine. */
  readonly missing = new Set<string>();

  /** The door that production code takes. */
  readonly run: RunCommand = async (command) => {
    const input = [...(command.input ?? [])].join("");
    this.log.push({ program: command.program, args: command.args, input, unhurried: command.unhurried === true });
    if (this.missing.has(command.program)) throw refusal(command, `${command.program}: command not found`);
    const fault = this.fault?.({ ...command, input: [input] });
    if (fault !== undefined) throw refusal(command, fault, this.faultCode);
    if (command.args.includes("--version")) return "iptables v1.8.9 (nf_tables)\n";
    if (command.args.includes("-S")) return "-P POSTROUTING ACCEPT\n";
    if (command.program.endsWith("-save")) return this.#print(command);
    if (command.program.endsWith("-restore")) this.#restore(command, input);
    else this.#edit(command);
    return "";
  };

  #print(command: Command): string {
    const [, only] = command.args;
    const refused = [...this.#tables.keys()].find(
      (name) => this.unprintable.has(only ?? name) && name === (only ?? name),
    );
    if (refused !== undefined) throw refusal(command, `*${refused}: Can't open socket to ipset.`);
    return only === undefined ? this.save() : (this.save().match(new RegExp(`\\*${only}\n[^]*?COMMIT\n`))?.[0] ?? "");
  }

  /** `-N CHAIN -t TABLE` and `-C CHAIN -t TABLE RULE`, behind `-w 5`. */
  #edit(command: Command): void {
    const [, , verb, chain = "", , name = "", ...rule] = command.args;
    const table = this.#tables.get(name) ?? emptyTable(name);
    this.#tables.set(name, table);
    if (verb === "-N" && table.has(chain)) throw refusal(command, "iptables: Chain already exists.");
    if (verb === "-N") table.set(chain, []);
    const line = ["-A", chain, ...rule.map((word) => (word.includes(" ") ? `"${word}"` : word))].join(" ");
    if (verb === "-C" && !table.get(chain)?.includes(line)) throw refusal(command, "iptables: Bad rule.");
  }

  /** What `iptables-save` prints. */
  save(): string {
    return [...this.#tables].map(([name, table]) => `*${name}\n${printTable(name, table)}COMMIT\n`).join("");
  }

  /** Loads text as an operator would, without a record in the log. */
  load(text: string): void {
    this.#restore({ program: "iptables-restore", args: [] }, text);
  }

  #restore(command: Command, input: string): void {
    const lines = input.split("\n");
    const after = structuredClone(this.#tables);
    let name = "";
    let refused: string | undefined;
    const named: string[] = [];
    for (const [index, line] of lines.entries()) {
      const found = this.#change(after, name, line);
      if (found === REFUSED && this.names === "commit") refused = found;
      if (found === REFUSED && this.names === "all") {
        named.push(`line ${index + 1}: ${found}`);
        continue;
      }
      if (line === "COMMIT" && named.length > 0) throw refusal(command, named.join("\n"));
      const fault = line === "COMMIT" || refused === undefined ? (refused ?? found) : undefined;
      if (fault) throw refusal(command, `iptables-restore v1.8.9 (nf_tables): line ${index + 1}: ${fault}`);
      if (line.startsWith("*")) name = line.slice(1);
      if (line === "COMMIT") this.#tables.set(name, structuredClone(after.get(name) ?? new Map()));
    }
  }

  #change(tables: FakeTables, name: string, line: string): string | undefined {
    if (line.startsWith("*")) {
      if (!tables.has(line.slice(1))) tables.set(line.slice(1), emptyTable(line.slice(1)));
      return undefined;
    }
    const table = tables.get(name);
    if (!table || line === "" || line === "COMMIT") return undefined;
    if (this.refuses !== undefined && /^-[AIR]/.test(line) && line.includes(this.refuses)) return REFUSED;
    return changeTable(table, line);
  }
}

function changeTable(table: FakeTable, line: string): string | undefined {
  const [verb = "", chain = ""] = line.split(" ");
  if (verb.startsWith(":")) {
    if (!line.endsWith(" - [0:0]")) return "built-in chains are not ours to set";
    table.set(verb.slice(1), []);
    return undefined;
  }
  const rules = table.get(chain);
  if (!rules) return `no chain ${chain}`;
  if (verb === "-X") return deleteChain(table, chain);
  const [, place = "1"] = /^-[IR] \S+ (\d+)(?: |$)/.exec(line) ?? [];
  const rule = `-A ${chain}${line.replace(/^-[A-Z] \S+(?: \d+(?= |$))?/, "")}`;
  if (verb === "-D") {
    const index = rules.indexOf(rule);
    if (index < 0) return "RULE_DELETE failed (No such file or directory)";
    rules.splice(index, 1);
    return undefined;
  }
  const target = targetOf(rule);
  if (target !== undefined && !table.has(target) && !TARGETS.has(target)) return `no chain or target ${target}`;
  if (verb === "-I" && Number(place) > rules.length + 1) return `RULE_INSERT failed (Invalid argument): place ${place}`;
  if (verb === "-R" && Number(place) > rules.length) return `RULE_REPLACE failed (Invalid argument): place ${place}`;
  if (verb === "-I") rules.splice(Number(place) - 1, 0, rule);
  else if (verb === "-R") rules[Number(place) - 1] = rule;
  else if (verb === "-A") rules.push(rule);
  else return `unknown verb ${verb}`;
  return undefined;
}

function deleteChain(table: FakeTable, chain: string): string | undefined {
  if (table.get(chain)?.length !== 0) return `CHAIN_DEL failed (Directory not empty): chain ${chain}`;
  const busy = [...table.values()].some((rules) => rules.some((rule) => targetOf(rule) === chain));
  if (busy) return `CHAIN_DEL failed (Device or resource busy): chain ${chain}`;
  table.delete(chain);
  return undefined;
}

function emptyTable(name: string): FakeTable {
  return new Map((BUILT_IN[name] ?? []).map((chain) => [chain, []]));
}

function printTable(name: string, table: FakeTable): string {
  const builtIn = BUILT_IN[name] ?? [];
  const chains = [...builtIn, ...[...table.keys()].filter((chain) => !builtIn.includes(chain)).sort()];
  const heads = chains.map((chain) => `:${chain} ${builtIn.includes(chain) ? "ACCEPT" : "-"} [0:0]\n`);
  const rules = chains.flatMap((chain) => table.get(chain) ?? []).map((rule) => `${rule}\n`);
  return [...heads, ...rules].join("");
}

function refusal({ program, args }: Command, words: string, code = "1"): KernelError {
  return new KernelError({ step: program, target: args.join(" "), code, words });
}
