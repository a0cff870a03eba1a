// The daemon from its flags to its exit code.
import { writeFile } from "node:fs/promises";
import { flagValue } from "../options/flags.ts";
import { loggingOf } from "../options/options.ts";
import { printConfig } from "../options/print.ts";
import type { Config } from "../options/table.ts";
import { failureWords } from "../source/file-failure.ts";
import { logFlags } from "../sync/flag-lines.ts";
import type { Log } from "../sync/log.ts";
import { type OpenLog, openLog } from "../sync/log-output.ts";
import { type LoadedConfiguration, loadConfiguration, validOptions } from "./configuration.ts";
import { EXIT, FAILED, FatalError, wordsOf } from "./failure.ts";
import { cleanHost } from "./host-cleanup.ts";
import { runNodeProxy } from "./node-proxy.ts";
import type { Output } from "./output.ts";
import type { DaemonFlags } from "./run-arguments.ts";

/**
 * Runs until SIGTERM or SIGINT, or does the one thing that a flag asks for; gives the exit code. Whatever ends it is
 * logged, but for what goes wrong before there is a log: then it rejects, with InputError for flags and files.
 */
export async function runDaemon(flags: DaemonFlags, output: Output): Promise<number> {
  const loaded = await loadConfiguration(flags.given);
  for (const notice of loaded.notices) output.note(notice);
  const { logs, verbosity, flush } = openLog(loggingOf(loaded.config), output.streams);
  try {
    await actOn(flags, loaded, { logs, verbosity });
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    logs("daemon.ts").error({ err: wordsOf(error) }, FAILED);
    return 1;
  } finally {
    await flush();
  }
}

async function actOn(
  flags: DaemonFlags,
  { config, file, warnings }: LoadedConfiguration,
  said: Pick<OpenLog, "logs" | "verbosity">,
): Promise<void> {
  const { given } = flags;
  const log = said.logs("daemon.ts");
  logFlags(given, log);
  for (const warning of warnings) log.warn({ warning }, "Configuration");
  const options = validOptions(config);
  const target = flagValue(given, "write-config-to");
  if (target !== "") return writeConfig(config, target, log);
  if (flagValue(given, "cleanup")) return cleanUp(log);
  return runNodeProxy({ ...flags, ...said, config, options, file });
}

async function writeConfig(config: Config, path: string, log: Log): Promise<void> {
  await writeFile(path, printConfig(config)).catch((error: unknown) => {
    throw new FatalError(`open ${path}: ${failureWords(error)}`);
  });
  log.info({ path }, "Wrote configuration");
}

async function cleanUp(log: Log): Promise<void> {
  const note = (text: string) => log.warn({ reason: text }, "Clean-up");
  const code = await cleanHost({ dryRun: false, output: { note, data: async () => {} } });
  // A node in nftables mode may have no iptables.
  if (code === EXIT.problems) throw new FatalError("encountered an error while tearing down rules");
}
