// What does a rule say, as far as a picture shows it?
import { conditionsOf } from "./conditions.ts";
import { readOptions } from "./line-options.ts";

export interface RuleText {
  /** Chain or target; undefined for a rule that only counts. */
  readonly target: string | undefined;
  /** Where DNAT sends packets, address and port. */
  readonly destination: string | undefined;
  readonly comment: string;
  /** All that must hold beside what is told below. */
  readonly conditions: readonly string[];
  /** Share of the packets that come so far. */
  readonly probability: number | undefined;
  /** Only clients that were seen within so many seconds. */
  readonly seenWithin: number | undefined;
  /** Clients are remembered from here on. */
  readonly remembers: boolean;
  readonly set: { readonly name: string; readonly sides: string } | undefined;
  readonly protocol: string | undefined;
}

/** Reads one line in save form. */
export function readRule(line: string): RuleText {
  const { matches, target } = readOptions(line);
  const value = (name: string) => matches.get(name)?.values[0];
  const [set, sides = ""] = matches.get("--match-set")?.values ?? [];
  const probability = value("--probability");
  return {
    target: target[0],
    destination: target[0] === "DNAT" ? target[target.indexOf("--to-destination") + 1] : undefined,
    comment: value("--comment") ?? "",
    conditions: conditionsOf(matches),
    probability: probability === undefined ? undefined : Number(probability),
    seenWithin: matches.has("--rcheck") ? Number(value("--seconds")) : undefined,
    remembers: matches.has("--set"),
    set: set === undefined ? undefined : { name: set, sides },
    protocol: value("-p"),
  };
}
