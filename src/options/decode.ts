// What does a configuration file say?
import { InputError } from "../errors.ts";
import { type Config, FIELD_NAMES, type FieldName, isFieldName, ROWS, withField } from "./config.ts";
import type { ConfigText } from "./config-text.ts";
import { DEFAULTS, withServerAddresses } from "./defaults.ts";
import { placeRunning, runningOf } from "./running.ts";

export const API_VERSION = "kubeproxy.config.k8s.io/v1alpha1";
export const KIND = "KubeProxyConfiguration";

export interface DecodedConfig {
  readonly config: Config;
  /** Unknown fields and duplicate keys: told, then passed over. */
  readonly warnings: readonly string[];
}

interface Leaves {
  readonly values: Map<FieldName, unknown>;
  readonly unknown: string[];
}

const SECTIONS: ReadonlySet<string> = new Set(FIELD_NAMES.flatMap(sectionsOf));

/**
 * The configuration of a file, with the defaults of its fields but not those of the platform. Throws InputError for a
 * missing or unknown kind or version, and for a value of a wrong type. Nothing else is checked here.
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
    config: placeRunning(located, runningOf(located)),
    warnings: [
      ...duplicates.map(({ key, line }) => `duplicate field "${key}" on line ${line}: the last one counts`),
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

/** Null means the default for every field, zero for every field that is no pointer. */
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
