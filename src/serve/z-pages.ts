// `/flagz` and `/statusz` of the metrics server, as text and as objects of `config.k8s.io`, after
// k8s.io/apiserver/pkg/server/{flagz,statusz} of Kubernetes 1.36.
import type { FlagValue } from "../options/flag-values.ts";
import { type Answer, type Answerer, json, plainText, readAccept, typed } from "./answer.ts";

const WARNING =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";

/** The name under which tools look for this component. */
const COMPONENT = "kube-proxy";

/** The Kubernetes version whose behaviour is followed. */
const EMULATED = "1.36";

const GROUP = "config.k8s.io";

/** Versions of both kinds; the same fields in both. */
const VERSIONS = ["v1alpha1", "v1beta1"] as const;

type Version = (typeof VERSIONS)[number];

export interface Status {
  /** Milliseconds since 1970. */
  readonly started: number;
  readonly now: () => number;
  readonly version: string;
  readonly paths: readonly string[];
}

/** The values of all flags, by name. */
export function flagz(flags: readonly FlagValue[]): Answerer {
  const sorted = [...flags].sort(([a], [b]) => (a < b ? -1 : 1));
  return negotiated({
    kind: "Flagz",
    text: () => `${headOf("flagz")}${sorted.map((flag) => `${flag.join("=")}\n`).join("")}`,
    fields: () => ({ flags: Object.fromEntries(sorted) }),
  });
}

/** How long which version runs, and which other paths there are. */
export function statusz({ started, now, version, paths }: Status): Answerer {
  const binaryVersion = version.replace(/^v/, "");
  const sorted = [...paths].sort();
  const text = () => [
    `Started: ${unixDate(started)}`,
    `Up: ${span(now() - started)}`,
    `Runtime version: node ${process.version}`,
    `Binary version: ${binaryVersion}`,
    `Emulation version: ${EMULATED}`,
    `Paths: ${sorted.join(" ")}`,
  ];
  return negotiated({
    kind: "Statusz",
    text: () => `${headOf("statusz")}\n${text().join("\n")}\n`,
    fields: () => ({
      startTime: `${new Date(started).toISOString().slice(0, 19)}Z`,
      uptimeSeconds: secondsOf(now() - started),
      // Clients that decode the Go type need the field; the value says that it is not Go.
      goVersion: `node ${process.version}`,
      binaryVersion,
      emulationVersion: EMULATED,
      paths: sorted,
    }),
  });
}

interface ZPage {
  readonly kind: "Flagz" | "Statusz";
  readonly text: () => string;
  /** The fields behind `metadata`. */
  readonly fields: () => Readonly<Record<string, unknown>>;
}

function negotiated({ kind, text, fields }: ZPage): Answerer {
  return ({ accept }) => {
    const format = formatFor(accept, kind);
    if (format === undefined) return NOT_ACCEPTABLE;
    if (format === "text") return plainText(text());
    const { type, version } = format;
    const object = { kind, apiVersion: `${GROUP}/${version}`, metadata: { name: COMPONENT }, ...fields() };
    const answer = type === JSON_TYPE ? json(`${JSON.stringify(object, undefined, 2)}\n`) : typed(type, yamlOf(object));
    return version === "v1alpha1" ? deprecated(answer, kind) : answer;
  };
}

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";

const ACCEPTED = [JSON_TYPE, YAML_TYPE, "text/plain"];

const NOT_ACCEPTABLE = json(
  JSON.stringify(
    {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: `only the following media types are accepted: ${ACCEPTED.join(", ")}`,
      reason: "NotAcceptable",
      code: 406,
    },
    undefined,
    2,
  ),
  406,
);

type Format = "text" | { readonly type: string; readonly version: Version };

/**
 * The first range that can be served. JSON and YAML must name group, version and kind (`g`, `v`, `as`), and text must
 * name none of them; so a wildcard means text.
 */
function formatFor(accept: string | undefined, kind: ZPage["kind"]): Format | undefined {
  if (accept === undefined || accept.trim() === "") return "text";
  for (const { type, parameters } of readAccept(accept)) {
    const [group, name] = [parameters.get("g"), parameters.get("as")];
    const version = VERSIONS.find((one) => one === parameters.get("v"));
    if (group === undefined && name === undefined && !parameters.has("v")) {
      if (["*/*", "text/*", "text/plain"].includes(type)) return "text";
    } else if (group === GROUP && name === kind && version !== undefined) {
      if (["*/*", "application/*", JSON_TYPE].includes(type)) return { type: JSON_TYPE, version };
      if (type === YAML_TYPE) return { type, version };
    }
  }
  return undefined;
}

function deprecated(answer: Answer, kind: ZPage["kind"]): Answer {
  const page = kind.toLowerCase();
  const warning = `299 - "This version of the ${page} endpoint is deprecated. Please use a newer version."`;
  return { ...answer, headers: { ...answer.headers, Warning: warning } };
}

/** Of an object whose fields are scalars, lists of texts, and objects of texts: JSON's texts are YAML's as well. */
function yamlOf(object: Readonly<Record<string, unknown>>, indent = ""): string {
  const lineOf = ([name, value]: readonly [string, unknown]) => {
    if (Array.isArray(value)) return `${indent}${name}:\n${value.map((one) => `- ${JSON.stringify(one)}\n`).join("")}`;
    if (typeof value === "object") return `${indent}${name}:\n${yamlOf({ ...value }, `${indent}  `)}`;
    return `${indent}${name}: ${JSON.stringify(value)}\n`;
  };
  return Object.entries(object).map(lineOf).join("");
}

function headOf(page: string): string {
  return `\n${COMPONENT} ${page}\n${WARNING}\n`;
}

/** `Fri Jan  2 03:04:05 UTC 2026` */
function unixDate(time: number): string {
  const [weekday = "", day = "", month = "", year = "", clock = ""] = new Date(time).toUTCString().split(/,? /);
  return `${weekday} ${month} ${day.replace(/^0/, " ")} ${clock} UTC ${year}`;
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

/** `1 hr 02 min 03 sec` */
function span(milliseconds: number): string {
  const seconds = secondsOf(milliseconds);
  const two = (number: number) => String(number % 60).padStart(2, "0");
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60))} min ${two(seconds)} sec`;
}
