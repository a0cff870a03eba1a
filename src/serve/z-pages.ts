// With which flags was this process started, and how long does it run? `/flagz` and `/statusz`.
import type { FlagValue } from "../options/flag-values.ts";
import { type Answerer, plainText } from "./answer.ts";

const WARNING =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";

/** What we are called where the pages of Kubernetes' components are collected. */
const COMPONENT = "kube-proxy";

/** Kubernetes whose behaviour is followed. */
const EMULATED = "1.36";

const NOT_ACCEPTABLE = plainText("only text/plain is offered here\n", 406);

export interface Status {
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly now: () => number;
  readonly version: string;
  readonly paths: readonly string[];
}

/** Flags as they were given or their defaults, by name, whatever a configuration file says. */
export function flagz(flags: readonly FlagValue[]): Answerer {
  return asText(() =>
    page(
      "flagz",
      [...flags].sort(([a], [b]) => (a < b ? -1 : 1)).map((flag) => flag.join("=")),
    ),
  );
}

/** Since when which version runs, and what else may be asked. */
export function statusz({ started, now, version, paths }: Status): Answerer {
  return asText(() =>
    page("statusz", [
      `Started: ${unixDate(started)}`,
      `Up: ${span(now() - started)}`,
      `Runtime version: node ${process.version}`,
      `Binary version: ${version}`,
      `Emulation version: ${EMULATED}`,
      `Paths: ${[...paths].sort().join(" ")}`,
    ]),
  );
}

function page(name: string, lines: readonly string[]): string {
  return `\n${COMPONENT} ${name}\n${WARNING}\n\n${lines.join("\n")}\n`;
}

/** The structured forms of these pages are not offered. */
function asText(write: () => string): Answerer {
  return ({ accept }) => (takesText(accept) ? plainText(write()) : NOT_ACCEPTABLE);
}

function takesText(accept = "*/*"): boolean {
  const types = accept.split(",").map((range) => range.replace(/;.*/, "").trim().toLowerCase());
  return types.some((type) => ["", "*/*", "text/*", "text/plain"].includes(type));
}

/** `Fri Jan  2 03:04:05 UTC 2026` */
function unixDate(time: number): string {
  const [weekday = "", day = "", month = "", year = "", clock = ""] = new Date(time).toUTCString().split(/,? /);
  return `${weekday} ${month} ${day.replace(/^0/, " ")} ${clock} UTC ${year}`;
}

/** `1 hr 02 min 03 sec` */
function span(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (number: number) => String(number % 60).padStart(2, "0");
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60))} min ${two(seconds)} sec`;
}
