// What does this process need of the machine?

import Counter from "prom-client/lib/counter.js";
import registerHeapSize from "prom-client/lib/metrics/heapSizeAndUsed.js";
import registerMemory from "prom-client/lib/metrics/osMemoryHeapLinux.js";
import registerMostFiles from "prom-client/lib/metrics/processMaxFileDescriptors.js";
import registerOpenFiles from "prom-client/lib/metrics/processOpenFileDescriptors.js";
import registerStartTime from "prom-client/lib/metrics/processStartTime.js";
import registerNodeVersion from "prom-client/lib/metrics/version.js";
import type Registry from "prom-client/lib/registry.js";

/**
 * Processor time, memory, files and start, read from the kernel at a scrape. Left out of prom-client's own choice: what
 * wakes the processor between scrapes (delays of the event loop), and what keeps memory to tell little (collections).
 */
export function registerProcess(registry: Registry): void {
  for (const register of REGISTERS) register(registry);
  // prom-client's own would load OpenTelemetry.
  const cpu = new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time spent, user and system, in seconds.",
    registers: [registry],
    collect: () => {
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1e6);
    },
  });
}

const REGISTERS = [
  registerStartTime,
  registerMemory,
  registerOpenFiles,
  registerMostFiles,
  registerHeapSize,
  registerNodeVersion,
];
