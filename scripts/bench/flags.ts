// Reads the flags of `npm run bench`.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Variant } from "../../src/plan/transactions.ts";
import { LAYOUTS, type Layout, type Subject } from "./subject.ts";
import { isInstalled, VARIANTS } from "./variant.ts";

export const QUESTIONS = [
  "cold",
  "growth",
  "endpoints",
  "connect",
  "slice",
  "service",
  "unchanged",
  "restart",
  "memory",
  "daemon",
  "api",
  "churn",
  "outage",
  "load",
  "ipvs",
] as const;

export type Question = (typeof QUESTIONS)[number];

export interface Wanted extends Omit<Subject, "layout"> {
  readonly variants: readonly Variant[];
  readonly layouts: readonly Layout[];
  readonly questions: readonly Question[];
  readonly output: "table" | "json" | "plots";
}

const USAGE = `npm run bench -- [--services 1000] [--endpoints 5] [--endpoints-of-one 1000] [--seconds 60] [--variant nft,legacy]
    [--layout Compat,Indexed] [--mode iptables,ipvs] [--kube-proxy PATH] [--json | --plot]
    [--questions ${QUESTIONS.join(",")}]

--endpoints-of-one   alone: ask about one Service with so many endpoints, and nothing else
--layout             ask about iptables mode only
--kube-proxy         let the question "load" run this kube-proxy binary through the same changes, for comparison
--plot               ask how connections and changes grow with the number of Services, and draw both into scripts/bench/plots`;

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
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  return {
    size: {
      services: readCount("services", values.services, 10),
      endpoints: readCount("endpoints", values.endpoints, 1),
    },
    endpointsOfOne: readCount("endpoints-of-one", values["endpoints-of-one"] ?? "1000", 1),
    seconds: readCount("seconds", values.seconds, 1),
    ...(values["kube-proxy"] !== undefined && { kubeProxyBinary: resolve(values["kube-proxy"]) }),
    variants: readNames("variant", values.variant, VARIANTS.filter(isInstalled)),
    layouts: readNames("layout", values.layout ?? LAYOUTS.join(","), LAYOUTS),
    questions: questionsOf(values),
    output: values.plot ? "plots" : values.json ? "json" : "table",
  };
}

const OPTIONS = {
  services: { type: "string", default: "1000" },
  endpoints: { type: "string", default: "5" },
  "endpoints-of-one": { type: "string" },
  seconds: { type: "string", default: "60" },
  variant: { type: "string", default: VARIANTS.filter(isInstalled).join(",") },
  layout: { type: "string" },
  questions: { type: "string" },
  mode: { type: "string" },
  "kube-proxy": { type: "string" },
  json: { type: "boolean", default: false },
  plot: { type: "boolean", default: false },
} as const;

/** Flags that say what is asked. */
type Choice = Readonly<Partial<Record<"questions" | "mode" | "layout" | "endpoints-of-one", string>>>;

/** Those that are named, else all that are about what is named. */
function questionsOf({ questions, mode, layout, ...rest }: Choice): readonly Question[] {
  if (questions !== undefined) return readNames("questions", questions, QUESTIONS);
  if (rest["endpoints-of-one"] !== undefined) return ["endpoints"];
  return questionsOfMode(mode ?? (layout === undefined ? "iptables,ipvs" : "iptables"));
}

function questionsOfMode(text: string): readonly Question[] {
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
