// What does one line of save text say?
import type { Match } from "./match-kinds.ts";
import { readMatch } from "./match-readers.ts";
import { readNetwork } from "./network.ts";
import type { InterfaceAsked, ParsedRule } from "./parsed-rule.ts";
import { readProtocol } from "./protocol-names.ts";
import { type RulePart, splitParts } from "./rule-parts.ts";
import type { Target } from "./target-kinds.ts";
import { readTarget } from "./target-readers.ts";

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
      matches.push(...readMatch(part.value, part.words, part.text));
    } else if (LEADS.has(part.flag) && !part.not && target === undefined) {
      target = readLead(part);
    } else {
      const more = part.words.length === 0 ? readHead(part, head) : undefined;
      if (more === undefined) matches.push({ kind: "unknown", text: part.text });
      else head = { ...head, ...more };
    }
  }
  return { chain, ...head, matches, target: target ?? NO_TARGET };
}

/** Only a chain can be gone to. */
function readLead({ flag, value, words, text }: RulePart): Target {
  const target = readTarget(value, words, text);
  if (flag === "-j") return target;
  return target.kind === "jump" ? { kind: "goto", chain: target.chain } : { kind: "unknown", text };
}

/** Undefined for what is not understood, and for what the head has already. */
function readHead({ flag, value, not }: RulePart, known: Head): Head | undefined {
  switch (flag) {
    case "-p":
      return known.protocol ? undefined : readProtocolAsked(value, not);
    case "-s": {
      const source = known.source ? undefined : readNetwork(value);
      return source && { source: { ...source, not } };
    }
    case "-d": {
      const destination = known.destination ? undefined : readNetwork(value);
      return destination && { destination: { ...destination, not } };
    }
    case "-i":
      return known.inInterface || value === "" ? undefined : { inInterface: readInterface(value, not) };
    case "-o":
      return known.outInterface || value === "" ? undefined : { outInterface: readInterface(value, not) };
    case "-f":
      return known.fragment || value !== "" ? undefined : { fragment: { not } };
    default:
      return undefined;
  }
}

function readProtocolAsked(text: string, not: boolean): Head | undefined {
  if (text === "all" || text === "0") return { protocol: { number: "all", not } };
  const number = readProtocol(text);
  return number === undefined ? undefined : { protocol: { number, not } };
}

function readInterface(text: string, not: boolean): InterfaceAsked {
  const prefix = text.endsWith("+");
  return { name: prefix ? text.slice(0, -1) : text, prefix, not };
}
