// Which kernel settings of conntrack does the configuration ask for, in any mode?
import type { ConntrackOptions } from "../options/options.ts";
import type { Sysctl } from "../state/kernel-state.ts";

/** More entries than this are never asked for, even where `min` is larger. */
const MOST = 1_048_576;

/** Entries that share a bucket of the hash table before it becomes too small. */
const PER_BUCKET = 4;

const HASHSIZE = "/sys/module/nf_conntrack/parameters/hashsize";

/**
 * The settings, in the order in which they are written. What the configuration leaves alone is not among them. The hash
 * table only grows; all else gets exactly its value.
 */
export function conntrackSysctls(options: ConntrackOptions, cpus: number): readonly Sysctl[] {
  return [
    ...limits(conntrackMax(options, cpus)),
    ...timeout("tcp_timeout_established", options.tcpEstablishedTimeout),
    ...timeout("tcp_timeout_close_wait", options.tcpCloseWaitTimeout),
    ...timeout("udp_timeout", options.udpTimeout),
    ...timeout("udp_timeout_stream", options.udpStreamTimeout),
    ...(options.tcpBeLiberal ? [setting("tcp_be_liberal", 1)] : []),
  ];
}

/** Entries that the table may have; 0 leaves the kernel's limit, and `min` with it. */
function conntrackMax({ maxPerCore, min }: ConntrackOptions, cpus: number): number {
  if (maxPerCore <= 0) return 0;
  return maxPerCore * cpus > MOST ? MOST : Math.max(maxPerCore * cpus, min);
}

function limits(max: number): readonly Sysctl[] {
  if (max <= 0) return [];
  return [setting("max", max), { path: HASHSIZE, least: Math.floor(max / PER_BUCKET) }];
}

/** Milliseconds become whole seconds, cut off. */
function timeout(name: string, milliseconds: number): readonly Sysctl[] {
  return milliseconds > 0 ? [setting(name, Math.floor(milliseconds / 1000))] : [];
}

function setting(name: string, value: number): Sysctl {
  return { path: `net/netfilter/nf_conntrack_${name}`, value: String(value) };
}
