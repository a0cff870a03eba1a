// What do the flags on the command line say?
import { type Config, FIELD_NAMES, type FieldName, ROWS, withField } from "./config.ts";
import { DEFAULTS } from "./defaults.ts";
import { type FlagRow, flagRowOf, type Row } from "./row.ts";
import { placeRunning, type Running, runningOf } from "./running.ts";
import { FLAGS } from "./table.ts";
import { rewording, type Texts } from "./value-type.ts";

/** Flags that were actually given: name without dashes → its texts in order. A bool that stands alone says `true`. */
export type GivenFlags = ReadonlyMap<string, Texts>;

type Flags = typeof FLAGS;

/** The values of the flags that set no single field. */
export type FlagValues = { readonly [K in keyof Flags]: Flags[K] extends Row<infer T> ? T : never };

export type FlagName = keyof FlagValues;

const FLAG_ROWS: { readonly [K in FlagName]: Row<FlagValues[K]> } = FLAGS;
const FLAG_NAMES: readonly FlagName[] = Object.keys(FLAGS).filter(isFlagName);

/** Every flag there is, sorted by name. */
export const ALL_FLAGS: readonly FlagRow[] = [
  ...FIELD_NAMES.map((name) => fieldFlag(name)),
  ...FLAG_NAMES.map((name) => freeFlag(name)),
]
  .filter((row) => row !== undefined)
  .sort((a, b) => (a.flag < b.flag ? -1 : 1));

/** The value of a flag that sets no single field; its default when it was not given. Throws InputError. */
export function flagValue<K extends FlagName>(given: GivenFlags, name: K): FlagValues[K] {
  return readFlag(FLAG_ROWS[name], given) ?? FLAG_ROWS[name].default;
}

/** The configuration that flags alone make. Throws InputError in the words of Go's flag library. */
export function configOfFlags(given: GivenFlags): Config {
  let config = DEFAULTS;
  for (const name of FIELD_NAMES) config = setField(config, name, given);
  return placeRunning(config, runningByFlags(config.mode, given));
}

/** Logging flags that were given go before a file; `--vmodule` is joined to what the file says, in front. */
export function withLoggingFlags(config: Config, given: GivenFlags): Config {
  let merged = config;
  for (const name of FIELD_NAMES) if (name.startsWith("logging.")) merged = setField(merged, name, given);
  const added = given.has("vmodule") ? merged["logging.vmodule"] : [];
  return { ...merged, "logging.vmodule": [...added, ...config["logging.vmodule"]] };
}

/** Notices about deprecated flags that were given. */
export function deprecationNotices(given: GivenFlags): readonly string[] {
  return ALL_FLAGS.filter(({ flag, deprecated }) => deprecated !== undefined && given.has(flag)).map(
    ({ flag, deprecated }) => `Flag --${flag} has been deprecated, use ${deprecated} instead`,
  );
}

/** Reads every flag that was given. Throws InputError for the first, by name, that cannot be read. */
export function checkFlags(given: GivenFlags): void {
  configOfFlags(given);
  for (const name of FLAG_NAMES) flagValue(given, name);
}

// The defaults are those of the iptables section, whatever the mode: started by flags, ipvs mode has a least gap of 1 s.
function runningByFlags(mode: string, given: GivenFlags): Running {
  const { syncPeriod, minSyncPeriod } = runningOf(DEFAULTS);
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
