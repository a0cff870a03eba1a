// The value of every flag, given or default, as kube-proxy prints them at `/flagz` and in its log.
import { configByFlags } from "./complete.ts";
import { configOfFlags, type FlagName, type FlagValues, flagValue, type GivenFlags } from "./flags.ts";
import { type Config, FIELD_NAMES, type FieldName, FLAGS, ROWS, type Row } from "./table.ts";
import type { Plain } from "./value-type.ts";

/** A flag's name and its value, as Go's flag library prints it. */
export type FlagValue = readonly [name: string, value: string];

const FREE_ROWS: { readonly [K in FlagName]: Row<FlagValues[K]> } = FLAGS;

/**
 * All flags by name. kube-proxy's flags point into its configuration: without a configuration file their values show
 * what it fills in at start (`proxy-mode=iptables`); with one they are those of the command line and its defaults. User
 * and password of an address are omitted. Throws InputError for an invalid flag.
 */
export function flagValues(given: GivenFlags): readonly FlagValue[] {
  const config = flagValue(given, "config") === "" ? configByFlags(given) : configOfFlags(given);
  const fields = FIELD_NAMES.flatMap((name) => fieldValue(config, name));
  const free = Object.keys(FREE_ROWS).filter(isFlagName);
  return [...fields, ...free.map((name) => freeValue(given, name))].sort(([a], [b]) => (a < b ? -1 : 1));
}

function fieldValue<K extends FieldName>(config: Config, name: K): readonly FlagValue[] {
  const { flag, type } = ROWS[name];
  if (flag === undefined) return [];
  const value = type.print(config[name]);
  return [[flag, PAIRS.get(name)?.(config).join() ?? (isList(value) ? `[${value ?? ""}]` : String(value))]];
}

/** Fields whose flag has the form `name=value,...`. */
const PAIRS: ReadonlyMap<FieldName, (config: Config) => readonly string[]> = new Map([
  [
    "featureGates",
    ({ featureGates }) =>
      Object.keys(featureGates)
        .sort()
        .map((gate) => `${gate}=${featureGates[gate]}`),
  ],
  ["logging.vmodule", (config) => config["logging.vmodule"].map((one) => `${one.filePattern}=${one.verbosity}`)],
]);

/** Whether the value is a list; null is an empty list. */
function isList(value: Plain): boolean {
  return value === null || Array.isArray(value);
}

function freeValue<K extends FlagName>(given: GivenFlags, name: K): FlagValue {
  const value = String(FREE_ROWS[name].type.print(flagValue(given, name)));
  return [name, value.replace(/\/\/[^/@]*@/, "//")];
}

function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(FREE_ROWS, name);
}
