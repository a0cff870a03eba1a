// What does the command line ask for?
import { parseArgs } from "node:util";
import type { Variant } from "../../src/plan/transactions.ts";
import type { Size } from "./cluster.ts";
import { isInstalled, VARIANTS } from "./variant.ts";

export const QUESTIONS = [
  "cold",
  "growth",
  "slice",
  "service",
  "unchanged",
  "restart",
  "memory",
  "daemon",
  "api",
  "churn",
  "ipvs",
] as const;

export type Question = (typeof QUESTIONS)[number];

export interface Wanted {
  readonly size: Size;
  /** How long `churn` lasts. */
  readonly seconds: number;
  readonly variants: readonly Variant[];
  readonly questions: readonly Question[];
  readonly json: boolean;
}

const USAGE = `npm run bench -- [--services 1000] [--endpoints 5] [--variant nft|legacy] [--seconds 60] [--json] [--mode iptables,ipvs]
    [--questions ${QUESTIONS.join(",")}]`;

/** Throws an Error that says how to ask, for what cannot be asked. */
export function readFlags(args: readonly string[]): Wanted {
  try {
    return readValues(args);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${reason}\n${USAGE}`, { cause });
  }
}

function readValues(args: readonly string[]): Wanted {
  const { values } = parseArgs({
    args: [...args],
    options: {
      services: { type: "string", default: "1000" },
      endpoints: { type: "string", default: "5" },
      seconds: { type: "string", default: "60" },
      variant: { type: "string", default: VARIANTS.filter(isInstalled).join(",") },
      questions: { type: "string" },
      mode: { type: "string", default: "iptables,ipvs" },
      json: { type: "boolean", default: false },
    },
  });
  return {
    size: {
      services: readCount("services", values.services, 10),
      endpoints: readCount("endpoints", values.endpoints, 1),
    },
    seconds: readCount("seconds", values.seconds, 1),
    variants: readNames("variant", values.variant, VARIANTS.filter(isInstalled)),
    questions:
      values.questions === undefined ? questionsOf(values.mode) : readNames("questions", values.questions, QUESTIONS),
    json: values.json,
  };
}

/** All that are about these modes. */
function questionsOf(text: string): readonly Question[] {
  const modes = readNames("mode", text, ["iptables", "ipvs"] as const);
  return QUESTIONS.filter((question) => modes.includes(question === "ipvs" ? "ipvs" : "iptables"));
}

/** A few Services are asked about one after the other, so there is a least number of them. */
function readCount(flag: string, text: string, least: number): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= least && count <= 100_000) return count;
  throw new Error(`--${flag} must be a number from ${least} to 100000, not ${text}`);
}

function readNames<T extends string>(flag: string, text: string, known: readonly T[]): readonly T[] {
  return text.split(",").map((name) => {
    const found = known.find((each) => each === name);
    if (found === undefined) throw new Error(`--${flag} takes ${known.join(", ")}, not ${name}`);
    return found;
  });
}
