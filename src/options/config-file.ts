// Reads a KubeProxyConfiguration file: YAML 1.1 or JSON, API version, kind and fields.

import { LineCounter, parseAllDocuments, type Tags, type YAMLError } from "yaml";
import { InputError } from "../errors.ts";
import { DEFAULTS, modeSettingsOf, withModeSettings, withServerAddresses } from "./defaults.ts";
import { type Config, FIELD_NAMES, type FieldName, isFieldName, ROWS, withField } from "./table.ts";

export const API_VERSION = "kubeproxy.config.k8s.io/v1alpha1";
export const KIND = "KubeProxyConfiguration";

export interface DecodedConfig {
  readonly config: Config;
  /** Unknown fields and duplicate keys, which are ignored. */
  readonly warnings: readonly string[];
}

interface Leaves {
  readonly values: Map<FieldName, unknown>;
  readonly unknown: string[];
}

const SECTIONS: ReadonlySet<string> = new Set(FIELD_NAMES.flatMap(sectionsOf));

/**
 * Decodes the configuration with the defaults of its fields, but not those of the platform. Throws InputError for a
 * missing or unknown kind or API version, and for a value of the wrong type. Validates nothing else.
 */
export function decodeConfig({ value, duplicates }: ConfigText): DecodedConfig {
  const { apiVersion, kind, ...rest } = rootOf(value);
  checkKind(apiVersion, kind);
  const leaves: Leaves = { values: new Map(), unknown: [] };
  collect(rest, "", leaves);
  let config: Config = { ...DEFAULTS, healthzBindAddress: "", metricsBindAddress: "" };
  for (const name of leaves.values.keys()) config = decodeField(config, name, leaves.values.get(name));
  const located = withServerAddresses(config);
  return {
    config: withModeSettings(located, modeSettingsOf(located)),
    warnings: [
      ...duplicates.map(({ key, line }) => `duplicate field "${key}" on line ${line}: the last one is used`),
      ...leaves.unknown.map((path) => `unknown field "${path}"`),
    ],
  };
}

function rootOf(value: unknown): Record<string, unknown> {
  if (isMapping(value)) return value;
  throw new InputError({}, "is not a mapping");
}

function checkKind(apiVersion: unknown, kind: unknown): void {
  if (typeof kind !== "string" || kind === "") throw new InputError({}, "Object 'Kind' is missing");
  if (typeof apiVersion !== "string" || apiVersion === "") throw new InputError({}, "Object 'apiVersion' is missing");
  if (kind === KIND && apiVersion === API_VERSION) return;
  throw new InputError({}, `no kind "${kind}" is registered for version "${apiVersion}"`);
}

function collect(mapping: Record<string, unknown>, prefix: string, leaves: Leaves): void {
  for (const [key, value] of Object.entries(mapping)) {
    const path = `${prefix}${key}`;
    if (isFieldName(path)) leaves.values.set(path, value);
    else if (!SECTIONS.has(path)) leaves.unknown.push(path);
    else if (isMapping(value)) collect(value, `${path}.`, leaves);
    else if (value !== null) throw new InputError({ field: path }, "must be a mapping");
  }
}

/** Null means the default for every field; zero means the default unless the field is a pointer. */
function decodeField<K extends FieldName>(config: Config, name: K, value: unknown): Config {
  if (value === null) return config;
  const { type, pointer } = ROWS[name];
  const result = type.schema.safeParse(value);
  if (!result.success) {
    const reasons = result.error.issues.map(({ path, message }) => [...path.map(String), message].join(": "));
    throw new InputError({ field: name }, reasons.join("; "));
  }
  const zero = JSON.stringify(type.print(result.data)) === JSON.stringify(type.print(type.zero));
  return zero && pointer === undefined ? config : withField(config, name, result.data);
}

function sectionsOf(path: string): readonly string[] {
  const parts = path.split(".");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("."));
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of a YAML or JSON text, and its duplicate keys. */
export interface ConfigText {
  readonly value: unknown;
  /** Duplicate keys of a mapping; the last one is used. */
  readonly duplicates: readonly { readonly key: string; readonly line: number }[];
}

// Go's YAML parser has the same message for all of them.
const NO_MAPPING = "could not find expected ':'";
const COLON_FAULTS: readonly YAMLError["code"][] = ["MULTILINE_IMPLICIT_KEY", "MISSING_CHAR"];

/**
 * Reads one document of YAML 1.1 (so `yes` is a bool and `010` is 8) or JSON. Throws InputError for invalid YAML, and for
 * a plain string.
 */
export function readConfigText(text: string): ConfigText {
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, {
    version: "1.1",
    merge: true,
    lineCounter,
    prettyErrors: false,
    logLevel: "error",
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !isForeign(tag)).map(asGo),
  });
  const [document, ...more] = documents;
  if (document === undefined) throw new InputError({}, "is empty");
  if (more.length > 0) throw new InputError({}, "contains more than one document");
  const lineOf = (fault: YAMLError) => lineCounter.linePos(fault.pos[0]).line;
  const duplicates = document.errors.filter(({ code }) => code === "DUPLICATE_KEY");
  const [fault] = document.errors.filter(({ code }) => code !== "DUPLICATE_KEY");
  if (fault) throw new InputError({}, `yaml: line ${lineOf(fault)}: ${wordsOf(fault)}`);
  const value: unknown = resolveAliases(() => document.toJS());
  if (typeof value === "string") throw new InputError({}, `yaml: ${NO_MAPPING}`);
  return { value, duplicates: duplicates.map((each) => ({ key: keyAt(text, each.pos[0]), line: lineOf(each) })) };
}

// Go's YAML parser supports neither sexagesimal numbers nor timestamps.
function isForeign({ tag, format }: { readonly tag: string; readonly format?: string }): boolean {
  return format === "TIME" || tag === "tag:yaml.org,2002:timestamp";
}

// The yaml package reads `.` and `e9` as numbers; in Go, a number begins with a digit.
function asGo(tag: Tags[number]): Tags[number] {
  if (typeof tag === "string" || tag.collection || !tag.test || tag.tag !== "tag:yaml.org,2002:float") return tag;
  return { ...tag, test: new RegExp(`(?=^[-+]?\\.?[\\dinIN])${tag.test.source}`) };
}

function wordsOf({ code, message }: YAMLError): string {
  return COLON_FAULTS.includes(code) ? NO_MAPPING : message;
}

function keyAt(text: string, start: number): string {
  return text.slice(start).replace(/^["']?([\w.-]*)[\s\S]*$/, "$1");
}

// Fails for an undefined alias, too many aliases, or a merge key whose value is not a mapping.
function resolveAliases(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new InputError({}, `yaml: ${String(error).replace(/^\w*Error: /, "")}`);
  }
}
