// How does a rule change or copy a mark, or the byte for the type of service?
import { ALL_BITS, DSCP_BITS, DSCP_SHIFT, readMasked, readNumber, TOS_BITS } from "./rule-numbers.ts";
import { plainOptions, type RuleOption, type TargetReader } from "./rule-options.ts";
import type { MarkChange, MarkCopyTarget } from "./target-kinds.ts";

const COPIES: ReadonlyMap<string, MarkCopyTarget["kind"]> = new Map([
  ["--save-mark", "save-mark"],
  ["--restore-mark", "restore-mark"],
]);

export const readMarkTarget: TargetReader = (options) => {
  const change = readMarkChange(options);
  return change && { kind: "mark", ...change };
};

/** Marks that are shifted on the way are not understood. */
export const readConnmarkTarget: TargetReader = (options) => {
  const change = readMarkChange(options);
  return change ? { kind: "connmark", ...change } : readCopy(options);
};

export const readTosTarget: TargetReader = (all) => {
  const masked = readMasked(plainOptions(all, ["--set-tos"])?.get("--set-tos") ?? "", TOS_BITS);
  return masked && { kind: "tos", clear: masked.mask, xor: masked.value };
};

export const readDscpTarget: TargetReader = (all) => {
  const value = readNumber(plainOptions(all, ["--set-dscp"])?.get("--set-dscp") ?? "", DSCP_BITS);
  return value === undefined ? undefined : { kind: "tos", clear: DSCP_BITS << DSCP_SHIFT, xor: value << DSCP_SHIFT };
};

/** Whatever the spelling, a change is what is cleared and what is then turned. */
function readMarkChange(options: readonly RuleOption[]): MarkChange | undefined {
  const [{ name, values, not } = { name: "", values: [], not: false }, ...more] = options;
  const [text = "", ...rest] = values;
  if (not || more.length + rest.length > 0) return undefined;
  if (name === "--set-mark" || name === "--set-xmark") return readSetMark(name, text);
  const bits = readNumber(text, ALL_BITS);
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
function readSetMark(name: string, text: string): MarkChange | undefined {
  const masked = readMasked(text, ALL_BITS);
  if (masked === undefined) return undefined;
  const { value, mask } = masked;
  return { clear: name === "--set-mark" ? (mask | value) >>> 0 : mask, xor: value };
}

function readCopy(all: readonly RuleOption[]): MarkCopyTarget | undefined {
  const options = plainOptions(all, [...COPIES.keys(), "--mask", "--nfmask", "--ctmask"]);
  const [kind, ...others] = [...COPIES].flatMap(([name, copy]) => (options?.get(name) === "" ? [copy] : []));
  const both = options?.get("--mask");
  const packetMask = readNumber(both ?? options?.get("--nfmask") ?? `${ALL_BITS}`, ALL_BITS);
  const connectionMask = readNumber(both ?? options?.get("--ctmask") ?? `${ALL_BITS}`, ALL_BITS);
  if (kind === undefined || others.length > 0 || packetMask === undefined || connectionMask === undefined) {
    return undefined;
  }
  return { kind, packetMask, connectionMask };
}
