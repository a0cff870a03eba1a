// How does a test fill the conntrack table of the namespace that it is in, and see what is left of it?
import { spawnSync } from "node:child_process";
import type { Family } from "../../src/net/family.ts";
import { sandboxEnvironment } from "./sandbox.ts";

/** An entry as a rule would have made it: `client` sent to `to`, and `by` answers. Each is an address and a port. */
export interface Entry {
  readonly protocol?: "udp" | "tcp";
  readonly client: readonly [address: string, port: number];
  readonly to: readonly [address: string, port: number];
  readonly by: readonly [address: string, port: number];
  /** Further options of `conntrack -I`. */
  readonly options?: readonly string[];
}

/** Runs the `conntrack` command; throws with its own words. */
export function conntrack(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("conntrack", args, { env: sandboxEnvironment(), encoding: "utf8" });
  if (status !== 0) throw new Error(`conntrack ${args.join(" ")}: ${stderr}`);
  return stdout;
}

export function insert({ protocol = "udp", client, to, by, options = [] }: Entry): void {
  const ends = ["-s", client[0], "--sport", `${client[1]}`, "-d", to[0], "--dport", `${to[1]}`];
  const back = ["-r", by[0], "--reply-port-src", `${by[1]}`, "-q", client[0], "--reply-port-dst", `${client[1]}`];
  const state = protocol === "tcp" ? ["--state", "ESTABLISHED", "-u", "ASSURED"] : [];
  conntrack("-I", "-p", protocol, ...ends, ...back, "-t", "600", ...state, ...options);
}

/** Forgets everything, of both families. */
export function forget(): void {
  for (const family of ["ipv4", "ipv6"]) conntrack("-F", "-f", family);
}

/** What the table holds of a family: `udp 10.244.0.5:40000 10.96.7.10:53 10.244.1.22:8053`, sorted. */
export function entries(family: Family): readonly string[] {
  const lines = conntrack("-L", "-f", family.toLowerCase())
    .split("\n")
    .filter((line) => line !== "");
  return lines.map(summary).sort();
}

function summary(line: string): string {
  const [protocol = ""] = line.split(" ");
  const all = (key: string) => [...line.matchAll(new RegExp(`\\b${key}=(\\S+)`, "g"))].map(([, value]) => value);
  const [source, destination, sport, dport] = [all("src"), all("dst"), all("sport"), all("dport")];
  return `${protocol} ${source[0]}:${sport[0]} ${destination[0]}:${dport[0]} ${source[1]}:${sport[1]}`;
}
