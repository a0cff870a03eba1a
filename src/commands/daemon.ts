// Of what is the daemon put together on a real machine?
import { iptablesBackend } from "../backends/iptables/backend.ts";
import { InputError } from "../errors.ts";
import { runCommand } from "../kernel/command.ts";
import { type Kernel, machine } from "../kernel/kernel.ts";
import type { GivenFlags } from "../options/flags.ts";
import type { GivenFacts } from "../options/node-facts.ts";
import { watchManifests } from "../source/manifest-watch.ts";
import { createLog } from "../sync/log.ts";
import { systemClock } from "../sync/schedule.ts";
import { checkSupported, readConfiguration } from "./configuration.ts";
import { readFactsFile } from "./facts-file.ts";
import { run } from "./run.ts";
import { readTemplates } from "./templates.ts";

export interface DaemonFlags {
  readonly given: GivenFlags;
  /** Files and directories to follow. */
  readonly manifests: readonly string[];
  /** A file of facts that go before the machine's own. */
  readonly nodeFacts?: string | undefined;
}

/** Runs until SIGTERM or SIGINT. Rejects with InputError for flags that cannot be used, with Error when nothing can be done. */
export async function runDaemon({ given, manifests, nodeFacts }: DaemonFlags): Promise<void> {
  const { options, warnings } = await readConfiguration(given);
  const log = createLog(options.logging.format, (line) => process.stderr.write(line));
  for (const warning of warnings) log("daemon.ts").warn({ warning }, "Configuration");
  if (manifests.length === 0) throw new InputError({}, "there is nothing to follow: give --manifests PATH");
  checkSupported(options);
  const known = nodeFacts === undefined ? {} : await readFactsFile(nodeFacts);
  const kernel = withKnown(machine(runCommand), known);
  const stop = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop.abort());
  const source = watchManifests(manifests, stop.signal);
  const backend = iptablesBackend(await readTemplates("iptables"));
  await run({ source, options, backend, kernel, facts: await kernel.facts(), clock: systemClock, log });
}

/** What is known goes before what the machine says, each time it is asked. */
function withKnown(kernel: Kernel, known: GivenFacts): Kernel {
  const { addresses } = known;
  return {
    ...kernel,
    facts: async () => ({ ...(await kernel.facts()), ...known }),
    ...(addresses && { addresses: async () => addresses }),
  };
}
