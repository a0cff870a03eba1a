// Reads command line flags the way Go's flag library (pflag) does.

import { InputError } from "../errors.ts";
import { DEFAULTS, type ModeSettings, modeSettingsOf, withModeSettings } from "./defaults.ts";
import {
  type Config,
  FIELD_NAMES,
  type FieldName,
  FLAGS,
  type FlagRow,
  flagRowOf,
  ROWS,
  type Row,
  withField,
} from "./table.ts";
import { rewording, type Texts } from "./value-type.ts";

/** The flags of the command line: name without dashes → its values in order. A bool without a value is `true`. */
export type GivenFlags = ReadonlyMap<string, Texts>;

type Flags = typeof FLAGS;

/** The values of the flags that do not correspond to one field. */
export type FlagValues = { readonly [K in keyof Flags]: Flags[K] extends Row<infer T> ? T : never };

export type FlagName = keyof FlagValues;

const FLAG_ROWS: { readonly [K in FlagName]: Row<FlagValues[K]> } = FLAGS;
const FLAG_NAMES: readonly FlagName[] = Object.keys(FLAGS).filter(isFlagName);

/** All flags, sorted by name. */
export const ALL_FLAGS: readonly FlagRow[] = [
  ...FIELD_NAMES.map((name) => fieldFlag(name)),
  ...FLAG_NAMES.map((name) => freeFlag(name)),
]
  .filter((row) => row !== undefined)
  .sort((a, b) => (a.flag < b.flag ? -1 : 1));

/** Returns the value or default of a flag that does not correspond to one field. Throws InputError. */
export function flagValue<K extends FlagName>(given: GivenFlags, name: K): FlagValues[K] {
  return readFlag(FLAG_ROWS[name], given) ?? FLAG_ROWS[name].default;
}

/** Returns the configuration set by flags. Throws InputError with the messages of Go's flag library. */
export function configOfFlags(given: GivenFlags): Config {
  let config = DEFAULTS;
  for (const name of FIELD_NAMES) config = setField(config, name, given);
  return withModeSettings(config, modeSettingsOfFlags(config.mode, given));
}

/** Applies logging flags to the configuration of a file, which they override; `--vmodule` is prepended to its list. */
export function withLoggingFlags(config: Config, given: GivenFlags): Config {
  let merged = config;
  for (const name of FIELD_NAMES) if (name.startsWith("logging.")) merged = setField(merged, name, given);
  const added = given.has("vmodule") ? merged["logging.vmodule"] : [];
  return { ...merged, "logging.vmodule": [...added, ...config["logging.vmodule"]] };
}

/** Warnings about deprecated flags on the command line. */
export function deprecationNotices(given: GivenFlags): readonly string[] {
  return ALL_FLAGS.filter(({ flag, deprecated }) => deprecated !== undefined && given.has(flag)).map(
    ({ flag, deprecated }) => `Flag --${flag} has been deprecated, use ${deprecated} instead`,
  );
}

/** Parses all flags. Throws InputError for the first invalid one by name. */
export function checkFlags(given: GivenFlags): void {
  configOfFlags(given);
  for (const name of FLAG_NAMES) flagValue(given, name);
}

// The defaults are those of the iptables section, whatever the mode: started by flags, ipvs mode has a minSyncPeriod of 1 s.
function modeSettingsOfFlags(mode: string, given: GivenFlags): ModeSettings {
  const { syncPeriod, minSyncPeriod } = modeSettingsOf(DEFAULTS);
  const section = mode === "ipvs" ? "ipvs" : "iptables";
  return {
    syncPeriod: readFlag(FLAG_ROWS[`${section}-sync-period`], given) ?? syncPeriod,
    minSyncPeriod: readFlag(FLAG_ROWS[`${section}-min-sync-period`], given) ?? minSyncPeriod,
    masqueradeAll: flagValue(given, "masquerade-all"),
  };
}

function setField<K extends FieldName>(config: Config, name: K, given: GivenFlags): Config {
  const value = readFlag(ROWS[name], given);
  return value === undefined ? config : withField(config, name, value);
}

function readFlag<T>({ flag = "", letter, type }: Row<T>, given: GivenFlags): T | undefined {
  const [first, ...more] = (given.get(flag) ?? []).filter((text) => text !== "" || !type.ignoresEmpty);
  if (first === undefined) return undefined;
  const shown = letter === undefined ? `--${flag}` : `-${letter}, --${flag}`;
  for (const text of [first, ...more]) {
    rewording(
      () => type.parse([text]),
      (reason) => `invalid argument ${JSON.stringify(text)} for ${JSON.stringify(shown)} flag: ${reason}`,
    );
  }
  return type.parse([first, ...more]);
}

function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

function fieldFlag<K extends FieldName>(name: K): FlagRow | undefined {
  return flagRowOf(ROWS[name]);
}

function freeFlag<K extends FlagName>(name: K): FlagRow | undefined {
  return flagRowOf(FLAG_ROWS[name]);
}

export interface TakenFlags {
  readonly given: GivenFlags;
  /** All other arguments, in order. */
  readonly rest: readonly string[];
}

/** Value types whose flag means `true` without a value. */
const ALONE: ReadonlySet<string> = new Set(["bool", "version"]);

/**
 * Extracts the flags of these rows from the arguments, as Go's flag library does: `--name=value`, `--name value`,
 * a bool alone or with `=`, underscores for dashes, `-v 4`, `-v=4` and `-v4`. Throws InputError if a value is missing.
 */
export function takeFlags(args: readonly string[], rows: readonly FlagRow[]): TakenFlags {
  const given = new Map<string, Texts>();
  const rest: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") return { given, rest: [...rest, ...args.slice(index)] };
    const found = find(arg, rows);
    if (!found) {
      rest.push(arg);
      continue;
    }
    const { row } = found;
    const text = found.text ?? (ALONE.has(row.typeName) ? "true" : args[++index]);
    if (text === undefined) throw new InputError({}, `flag needs an argument: ${arg}`);
    const [first, ...more] = [...(given.get(row.flag) ?? []), text];
    given.set(row.flag, [first ?? text, ...more]);
  }
  return { given, rest };
}

function find(arg: string, rows: readonly FlagRow[]): { readonly row: FlagRow; readonly text?: string } | undefined {
  const [, name, , value] = /^--([^=]+)(=([\s\S]*))?$/.exec(arg) ?? [];
  if (name !== undefined) {
    const row = rows.find(({ flag }) => flag === name.replaceAll("_", "-"));
    return row && { row, ...(value === undefined ? {} : { text: value }) };
  }
  const short = rows.find(({ letter }) => letter !== undefined && arg.startsWith(`-${letter}`));
  if (!short || arg.startsWith("--")) return undefined;
  const text = arg.slice(2).replace(/^=/, "");
  return text === "" ? { row: short } : { row: short, text };
}
