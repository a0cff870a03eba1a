// Parses a rule in iptables-save syntax into its matches and its target.

import { type Match, parseMatch } from "./matches.ts";
import { type Network, parseNetwork } from "./network.ts";
import { parseProtocol } from "./options.ts";
import { type RulePart, splitParts } from "./split.ts";
import { parseTarget, type Target } from "./targets.ts";

/** What `-p` asks for: a number of an IP packet's header, or `all`, which a rule without `-p` means as well. */
interface ProtocolSpec {
  readonly number: number | "all";
  readonly not: boolean;
}

/** What `-i` and `-o` ask for. */
export interface InterfaceSpec {
  readonly name: string;
  /** Written with `+` behind it: any interface whose name begins so; of an empty name, any at all. */
  readonly prefix: boolean;
  readonly not: boolean;
}

/** What `-s` and `-d` ask for. */
interface NetworkSpec extends Network {
  readonly not: boolean;
}

/**
 * A rule that was read. The packet meets its target when it is all that the rule asks for; one thing that it is not is
 * enough for it to go on to the next rule, whatever else of the rule cannot be judged.
 */
export interface ParsedRule {
  readonly chain: string;
  readonly protocol?: ProtocolSpec;
  readonly source?: NetworkSpec;
  readonly destination?: NetworkSpec;
  readonly inInterface?: InterfaceSpec;
  readonly outInterface?: InterfaceSpec;
  /** `-f`: second and later fragments only; `! -f` (`not`): first fragments and whole packets. */
  readonly fragment?: { readonly not: boolean };
  /**
   * In the order in which the kernel asks them: those that count or remember do so only when those before them hold.
   */
  readonly matches: readonly Match[];
  readonly target: Target;
}

/** What stands in a rule once, and before its matches. */
type Head = Partial<Omit<ParsedRule, "chain" | "matches" | "target">>;

const LEADS: ReadonlySet<string> = new Set(["-j", "-g"]);

const NO_TARGET: Target = { kind: "none" };

/**
 * Reads a rule (`-A CHAIN …`), of IPv4 or IPv6. What is not understood is in it as `unknown`, with its text. Throws
 * RuleSyntaxError for what is no rule at all: another command, no chain, a quotation that does not end.
 */
export function parseRule(line: string): ParsedRule {
  const { chain, parts } = splitParts(line);
  let head: Head = {};
  let target: Target | undefined;
  const matches: Match[] = [];
  for (const part of parts) {
    if (part.flag === "-m" && !part.not) {
      matches.push(...parseMatch(part.value, part.words, part.text));
    } else if (LEADS.has(part.flag) && !part.not && target === undefined) {
      target = parseLead(part);
    } else {
      const more = part.words.length === 0 ? parseHead(part, head) : undefined;
      if (more === undefined) matches.push({ kind: "unknown", text: part.text });
      else head = { ...head, ...more };
    }
  }
  return { chain, ...head, matches, target: target ?? NO_TARGET };
}

/** Only a chain can be gone to. */
function parseLead({ flag, value, words, text }: RulePart): Target {
  const target = parseTarget(value, words, text);
  if (flag === "-j") return target;
  return target.kind === "jump" ? { kind: "goto", chain: target.chain } : { kind: "unknown", text };
}

/** Undefined for what is not understood, and for what the head has already. */
function parseHead({ flag, value, not }: RulePart, known: Head): Head | undefined {
  switch (flag) {
    case "-p":
      return known.protocol ? undefined : parseProtocolAsked(value, not);
    case "-s": {
      const source = known.source ? undefined : parseNetwork(value);
      return source && { source: { ...source, not } };
    }
    case "-d": {
      const destination = known.destination ? undefined : parseNetwork(value);
      return destination && { destination: { ...destination, not } };
    }
    case "-i":
      return known.inInterface || value === "" ? undefined : { inInterface: parseInterface(value, not) };
    case "-o":
      return known.outInterface || value === "" ? undefined : { outInterface: parseInterface(value, not) };
    case "-f":
      return known.fragment || value !== "" ? undefined : { fragment: { not } };
    default:
      return undefined;
  }
}

function parseProtocolAsked(text: string, not: boolean): Head | undefined {
  if (text === "all" || text === "0") return { protocol: { number: "all", not } };
  const number = parseProtocol(text);
  return number === undefined ? undefined : { protocol: { number, not } };
}

function parseInterface(text: string, not: boolean): InterfaceSpec {
  const prefix = text.endsWith("+");
  return { name: prefix ? text.slice(0, -1) : text, prefix, not };
}
