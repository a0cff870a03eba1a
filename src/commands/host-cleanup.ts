// Of what is clean-up put together on a real machine?
import { iptablesBackend } from "../backends/iptables/backend.ts";
import { runCommand } from "../kernel/command.ts";
import { machine } from "../kernel/kernel.ts";
import { cleanup } from "./cleanup.ts";
import type { Output } from "./output.ts";
import { readTemplates } from "./templates.ts";

/** Cleans this machine up; the answer is whether nothing failed. */
export async function cleanHost(dryRun: boolean, output: Output): Promise<boolean> {
  const backend = iptablesBackend(await readTemplates("iptables"));
  return cleanup({ kernel: machine(runCommand), backend, output, dryRun });
}
