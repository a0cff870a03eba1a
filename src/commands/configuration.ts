// Combines flags and the configuration file into the options of the daemon.
import { readFile } from "node:fs/promises";
import { InputError } from "../errors.ts";
import { completeConfig } from "../options/complete.ts";
import { decodeConfig, readConfigText } from "../options/config-file.ts";
import { checkFlags, deprecationNotices, flagValue, type GivenFlags } from "../options/flags.ts";
import { type Options, optionsOf } from "../options/options.ts";
import type { Config } from "../options/table.ts";
import { printProblems, validateConfig, validateLogging } from "../options/validate.ts";
import { rewording } from "../options/value-type.ts";
import { failureWords } from "../source/file-failure.ts";

/** A configuration file as it was read. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

/** Complete, but only the logging section is known to be valid. */
export interface LoadedConfiguration {
  readonly config: Config;
  readonly file?: ConfigFile;
  /** Notices about deprecated flags. */
  readonly notices: readonly string[];
  /** Unknown fields, and keys that stand twice. */
  readonly warnings: readonly string[];
}

export interface Configuration {
  readonly options: Options;
  /** Notices about deprecated flags, unknown fields and keys that stand twice. */
  readonly warnings: readonly string[];
}

/** Reads, completes and validates. Rejects with InputError whose prefix says in which of these it failed. */
export async function readConfiguration(given: GivenFlags): Promise<Configuration> {
  const { config, notices, warnings } = await loadConfiguration(given);
  return { options: validOptions(config), warnings: [...notices, ...warnings] };
}

/** Reads and completes, and checks the logging section, which must hold before anything else can be told. */
export async function loadConfiguration(given: GivenFlags): Promise<LoadedConfiguration> {
  checkFlags(given);
  const path = flagValue(given, "config");
  const read = path === "" ? undefined : await readConfigFile(path);
  const config = prefixed("failed complete", () => completeConfig(given, read?.config));
  const logging = validateLogging(config, "logging");
  if (logging.length > 0) throw new InputError({}, `initialize logging: ${printProblems(logging)}`);
  const notices = deprecationNotices(given);
  return { config, notices, warnings: read?.warnings ?? [], ...(read && { file: read.file }) };
}

/** Throws InputError with all that is wrong with the configuration. */
export function validOptions(config: Config): Options {
  const problems = validateConfig(config);
  if (problems.length > 0) throw new InputError({}, `failed validate: ${printProblems(problems)}`);
  return optionsOf(config);
}

/** Throws InputError for a choice that kube-proxy's validation lets pass and this version, or the command, cannot serve. */
export function checkSupported(options: Options, modes: readonly Options["mode"][] = ["iptables", "ipvs"]): void {
  const { mode, ipvs } = options;
  if (!modes.includes(mode))
    throw new InputError({}, `mode ${mode} is not supported by this version, use iptables or ipvs`);
  if (mode === "ipvs" && !SCHEDULER.test(ipvs.scheduler)) {
    throw new InputError({ field: "ipvs.scheduler" }, `${JSON.stringify(ipvs.scheduler)} is no name of a scheduler`);
  }
  for (const field of ["bridgeInterface", "interfaceNamePrefix"] as const) {
    if (options[field] === "" || INTERFACE.test(options[field])) continue;
    throw new InputError({ field: `detectLocal.${field}` }, `${JSON.stringify(options[field])} is no interface name`);
  }
}

/** Throws InputError for a gap longer than the hour between full passes: kube-proxy's validation lets it pass and panics later. */
export function checkPeriods({ mode, minSyncPeriod }: Pick<Options, "mode" | "minSyncPeriod">): void {
  if (mode === "ipvs" || minSyncPeriod <= HOUR) return;
  throw new InputError({ field: `${mode}.minSyncPeriod` }, "must not be more than 1h0m0s, the time between full syncs");
}

const HOUR = 3_600_000;

/** What the kernel may find a module for; whether it does, only the kernel can tell. */
const SCHEDULER = /^[a-z0-9_]{1,15}$/;

/** What the kernel takes as the name of an interface, and iptables as one argument. */
const INTERFACE = /^[A-Za-z0-9_.][-A-Za-z0-9_.:]{0,14}$/;

interface ReadConfig {
  readonly file: ConfigFile;
  readonly config: Config;
  readonly warnings: readonly string[];
}

async function readConfigFile(path: string): Promise<ReadConfig> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new InputError({}, `failed complete: open ${path}: ${failureWords(error)}`);
  });
  const decoded = prefixed("failed complete: failed to decode", () => decodeConfig(readConfigText(text)));
  return { ...decoded, file: { path, text } };
}

function prefixed<T>(prefix: string, read: () => T): T {
  return rewording(read, (reason) => `${prefix}: ${reason}`);
}
