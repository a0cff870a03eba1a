// What do rules ask of marks, and of the byte for the type of service?
import type { Match } from "./match-kinds.ts";
import { ALL_BITS, DSCP_BITS, DSCP_SHIFT, readMasked, readNumber, TOS_BITS } from "./rule-numbers.ts";
import { eachOption, type MatchReader, type RuleOption } from "./rule-options.ts";

export const readMark: MatchReader = marks("mark");

export const readConnmark: MatchReader = marks("connmark");

export const readTos: MatchReader = eachOption(
  new Map([
    [
      "--tos",
      (text: string, { not }: RuleOption): Match | undefined => {
        const masked = readMasked(text, TOS_BITS);
        return masked && { kind: "tos", ...masked, not };
      },
    ],
  ]),
);

export const readDscp: MatchReader = eachOption(
  new Map([
    [
      "--dscp",
      (text: string, { not }: RuleOption): Match | undefined => {
        const value = readNumber(text, DSCP_BITS);
        if (value === undefined) return undefined;
        return { kind: "tos", value: value << DSCP_SHIFT, mask: DSCP_BITS << DSCP_SHIFT, not };
      },
    ],
  ]),
);

function marks(kind: "mark" | "connmark"): MatchReader {
  const read = (text: string, { not }: RuleOption): Match | undefined => {
    const masked = readMasked(text, ALL_BITS);
    return masked && { kind, ...masked, not };
  };
  return eachOption(new Map([["--mark", read]]));
}
