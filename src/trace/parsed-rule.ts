// What does a rule ask of a packet, and what does it do with it?
import type { Match, Network } from "./match-kinds.ts";
import type { Target } from "./target-kinds.ts";

/** What `-p` asks for: a number of an IP packet's header, or `all`, which a rule without `-p` means as well. */
export interface ProtocolAsked {
  readonly number: number | "all";
  readonly not: boolean;
}

/** What `-i` and `-o` ask for. */
export interface InterfaceAsked {
  readonly name: string;
  /** Written with `+` behind it: any interface whose name begins so; of an empty name, any at all. */
  readonly prefix: boolean;
  readonly not: boolean;
}

/** What `-s` and `-d` ask for. */
export interface NetworkAsked extends Network {
  readonly not: boolean;
}

/**
 * A rule that was read. The packet meets its target when it is all that the rule asks for; one thing that it is not is
 * enough for it to go on to the next rule, whatever else of the rule cannot be judged.
 */
export interface ParsedRule {
  readonly chain: string;
  readonly protocol?: ProtocolAsked;
  readonly source?: NetworkAsked;
  readonly destination?: NetworkAsked;
  readonly inInterface?: InterfaceAsked;
  readonly outInterface?: InterfaceAsked;
  /** `-f`: second and later fragments only; `! -f` (`not`): first fragments and whole packets. */
  readonly fragment?: { readonly not: boolean };
  /** In the order in which the kernel asks them: those that count or remember do so only when those before them hold. */
  readonly matches: readonly Match[];
  readonly target: Target;
}
