// How do the kernel's conntrack settings become what the configuration says, before any rule is written?
import { conntrackSysctls } from "../backends/conntrack-sysctls.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { ConntrackOptions } from "../options/options.ts";
import { diffSysctls } from "../plan/sysctls.ts";

/**
 * Writes what differs, once. Rejects with an Error in kube-proxy's words, which is the daemon's end, when the kernel
 * refuses a value.
 */
export async function setConntrack(
  kernel: Pick<Kernel, "sysctls" | "apply">,
  options: ConntrackOptions,
  cpus: number,
): Promise<void> {
  const wanted = conntrackSysctls(options, cpus);
  const steps = diffSysctls(wanted, await kernel.sysctls(wanted.map(({ path }) => path)));
  const { refused } = await kernel.apply({ steps, kept: [] });
  if (!refused) return;
  const { error } = refused;
  throw new Error(`could not set conntrack parameters from kube-proxy configuration: ${error.message}`, {
    cause: error,
  });
}
