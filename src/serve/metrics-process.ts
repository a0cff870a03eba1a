// The process_* metrics, as Prometheus' process collector has them, and those of Node.js.
import { readFile } from "node:fs/promises";

import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
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
  registerMemoryLimit(registry);
  registerTraffic(registry);
}

/** The value of an unlimited resource in Prometheus' process collector: RLIM_INFINITY. */
const UNLIMITED = 2 ** 64;

function registerMemoryLimit(registry: Registry): void {
  const limit = new Gauge({
    name: "process_virtual_memory_max_bytes",
    help: "Maximum amount of virtual memory available in bytes.",
    registers: [registry],
    collect: async () => {
      const [, soft] = /^Max address space +(\d+)/m.exec(await readFile("/proc/self/limits", "utf8")) ?? [];
      limit.set(soft === undefined ? UNLIMITED : Number(soft));
    },
  });
}

/** Bytes of IPv4 in the network namespace of the process, as in Prometheus' process collector. */
function registerTraffic(registry: Registry): void {
  for (const [direction, verb, field] of [
    ["receive", "received", "InOctets"],
    ["transmit", "sent", "OutOctets"],
  ] as const) {
    const counter = new Counter({
      name: `process_network_${direction}_bytes_total`,
      help: `Number of bytes ${verb} by the process over the network.`,
      registers: [registry],
      collect: async () => {
        const octets = octetsIn(await readFile("/proc/self/net/netstat", "utf8"), field);
        counter.reset();
        counter.inc(octets);
      },
    });
  }
}

/** A field of `IpExt`: a line of names, then a line of values. */
function octetsIn(netstat: string, field: string): number {
  const [names = [], values = []] = netstat
    .split("\n")
    .filter((line) => line.startsWith("IpExt:"))
    .map((line) => line.split(" "));
  return Number(values[names.indexOf(field)] ?? 0);
}

const REGISTERS = [
  registerStartTime,
  registerMemory,
  registerOpenFiles,
  registerMostFiles,
  registerHeapSize,
  registerNodeVersion,
];
