// What can somebody tell of a kernel, and leave out?

export type DumpPart = "tables" | "sets" | "servers" | "addresses" | "sysctls" | "counters";

/** All that IPVS mode and iptables mode have in a kernel. */
export const DUMP_PARTS: readonly DumpPart[] = ["tables", "sets", "servers", "addresses", "sysctls", "counters"];
