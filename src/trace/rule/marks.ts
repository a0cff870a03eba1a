// Parses matches and targets of marks and of the type-of-service byte.
import {
  ALL_BITS,
  DSCP_BITS,
  DSCP_SHIFT,
  eachOption,
  type MatchParser,
  parseMasked,
  parseNumber,
  plainOptions,
  type RuleOption,
  type TargetParser,
  TOS_BITS,
} from "./options.ts";

/** Is the packet's mark (or its connection's), cut to the mask, this value? */
export interface MarkMatch {
  readonly kind: "mark" | "connmark";
  readonly value: number;
  readonly mask: number;
  readonly not: boolean;
}

/** The byte of the IP header that holds DSCP and ECN, cut to the mask. */
export interface TosMatch {
  readonly kind: "tos";
  readonly value: number;
  readonly mask: number;
  readonly not: boolean;
}

/** How a mark changes: `(mark & ~clear) ^ xor`. Both unsigned, 32 bits. */
export interface MarkChange {
  readonly clear: number;
  readonly xor: number;
}

/** Changes the byte of the IP header that holds DSCP and ECN, as a mark is changed; the packet goes on. */
interface TosTarget extends MarkChange {
  readonly kind: "tos";
}

/** Changes the mark of the packet, or of its connection; the packet goes on. */
export interface MarkTarget extends MarkChange {
  readonly kind: "mark" | "connmark";
}

/**
 * Copies a mark. `save`: the connection's becomes `(it & ~connectionMask) ^ (packet's & packetMask)`; `restore`: the
 * packet's becomes `(it & ~packetMask) ^ (connection's & connectionMask)`.
 */
export interface MarkCopyTarget {
  readonly kind: "save-mark" | "restore-mark";
  readonly packetMask: number;
  readonly connectionMask: number;
}

/** Targets that change or copy a mark, or the type-of-service byte. */
export type MarkingTarget = MarkTarget | MarkCopyTarget | TosTarget;

export const parseMark: MatchParser<MarkMatch> = marks("mark");

export const parseConnmark: MatchParser<MarkMatch> = marks("connmark");

export const parseTos: MatchParser<TosMatch> = eachOption(
  new Map([
    [
      "--tos",
      (text: string, { not }: RuleOption): TosMatch | undefined => {
        const masked = parseMasked(text, TOS_BITS);
        return masked && { kind: "tos", ...masked, not };
      },
    ],
  ]),
);

export const parseDscp: MatchParser<TosMatch> = eachOption(
  new Map([
    [
      "--dscp",
      (text: string, { not }: RuleOption): TosMatch | undefined => {
        const value = parseNumber(text, DSCP_BITS);
        if (value === undefined) return undefined;
        return { kind: "tos", value: value << DSCP_SHIFT, mask: DSCP_BITS << DSCP_SHIFT, not };
      },
    ],
  ]),
);

function marks(kind: "mark" | "connmark"): MatchParser<MarkMatch> {
  const read = (text: string, { not }: RuleOption): MarkMatch | undefined => {
    const masked = parseMasked(text, ALL_BITS);
    return masked && { kind, ...masked, not };
  };
  return eachOption(new Map([["--mark", read]]));
}

const COPIES: ReadonlyMap<string, MarkCopyTarget["kind"]> = new Map([
  ["--save-mark", "save-mark"],
  ["--restore-mark", "restore-mark"],
]);

export const parseMarkTarget: TargetParser<MarkingTarget> = (options) => {
  const change = parseMarkChange(options);
  return change && { kind: "mark", ...change };
};

/** Marks that are shifted on the way are not understood. */
export const parseConnmarkTarget: TargetParser<MarkingTarget> = (options) => {
  const change = parseMarkChange(options);
  return change ? { kind: "connmark", ...change } : parseCopy(options);
};

export const parseTosTarget: TargetParser<MarkingTarget> = (all) => {
  const masked = parseMasked(plainOptions(all, ["--set-tos"])?.get("--set-tos") ?? "", TOS_BITS);
  return masked && { kind: "tos", clear: masked.mask, xor: masked.value };
};

export const parseDscpTarget: TargetParser<MarkingTarget> = (all) => {
  const value = parseNumber(plainOptions(all, ["--set-dscp"])?.get("--set-dscp") ?? "", DSCP_BITS);
  return value === undefined ? undefined : { kind: "tos", clear: DSCP_BITS << DSCP_SHIFT, xor: value << DSCP_SHIFT };
};

/** Whatever the spelling, a change is what is cleared and what is then turned. */
function parseMarkChange(options: readonly RuleOption[]): MarkChange | undefined {
  const [{ name, values, not } = { name: "", values: [], not: false }, ...more] = options;
  const [text = "", ...rest] = values;
  if (not || more.length + rest.length > 0) return undefined;
  if (name === "--set-mark" || name === "--set-xmark") return parseSetMark(name, text);
  const bits = parseNumber(text, ALL_BITS);
  if (bits === undefined) return undefined;
  switch (name) {
    case "--and-mark":
      return { clear: ~bits >>> 0, xor: 0 };
    case "--or-mark":
      return { clear: bits, xor: bits };
    case "--xor-mark":
      return { clear: 0, xor: bits };
    default:
      return undefined;
  }
}

/** `--set-mark` clears the bits of its value as well, so that they are set and not turned. */
function parseSetMark(name: string, text: string): MarkChange | undefined {
  const masked = parseMasked(text, ALL_BITS);
  if (masked === undefined) return undefined;
  const { value, mask } = masked;
  return { clear: name === "--set-mark" ? (mask | value) >>> 0 : mask, xor: value };
}

function parseCopy(all: readonly RuleOption[]): MarkCopyTarget | undefined {
  const options = plainOptions(all, [...COPIES.keys(), "--mask", "--nfmask", "--ctmask"]);
  const [kind, ...others] = [...COPIES].flatMap(([name, copy]) => (options?.get(name) === "" ? [copy] : []));
  const both = options?.get("--mask");
  const packetMask = parseNumber(both ?? options?.get("--nfmask") ?? `${ALL_BITS}`, ALL_BITS);
  const connectionMask = parseNumber(both ?? options?.get("--ctmask") ?? `${ALL_BITS}`, ALL_BITS);
  if (kind === undefined || others.length > 0 || packetMask === undefined || connectionMask === undefined) {
    return undefined;
  }
  return { kind, packetMask, connectionMask };
}
