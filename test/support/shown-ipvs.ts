// What does a node show of IPVS mode, by the tools of the field, and what should it show?
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { iptablesOf } from "../../src/kernel/iptables.ts";
import { FAMILIES, type Family } from "../../src/net/family.ts";

/** All that IPVS mode has beside tables, both families together, in no order of its own. */
export interface ShownIpvs {
  /** Lines of `ipvsadm -Sn`; each tells its virtual server. */
  readonly servers: readonly string[];
  /** Lines of `ipset save`, without what the kernel made up. */
  readonly sets: readonly string[];
  /** Lines of `ip addr show kube-ipvs0`. */
  readonly addresses: readonly string[];
}

/** Prints all of it. To start programs takes long in the guest, and from one shell the least. */
export const SHOW_ALL = "ipvsadm -Sn; echo ==; ipset save; echo ==; ip -o addr show dev kube-ipvs0 2>/dev/null || :";

/** In the namespace that this process is in. */
export async function shownIpvs(): Promise<ShownIpvs> {
  return readShown(await print("sh", "-c", SHOW_ALL));
}

/** Reads what `SHOW_ALL` printed. */
export function readShown(text: string): ShownIpvs {
  const [servers = "", sets = "", addresses = ""] = text.split(/^==$/m);
  return { servers: sorted(servers), sets: setLines(sets), addresses: addressLines(addresses) };
}

export async function shownServers(): Promise<readonly string[]> {
  return sorted(await print("ipvsadm", "-Sn"));
}

export async function shownSets(): Promise<readonly string[]> {
  return setLines(await print("ipset", "save"));
}

/** None where there is no interface of this name. */
export async function shownAddresses(): Promise<readonly string[]> {
  return addressLines(await print("sh", "-c", "ip -o addr show dev kube-ipvs0 2>/dev/null || :"));
}

function setLines(text: string): readonly string[] {
  return sorted(text).map((line) => line.replace(/( bucketsize \d+)?( initval 0x[0-9a-f]+)?$/, ""));
}

function addressLines(text: string): readonly string[] {
  return sorted(text).map((line) => line.replace(/^\d+: kube-ipvs0 +/, "").replace(/ *\\ .*/, ""));
}

/** What the golden files of both families in a folder say. */
export function goldenIpvs(folder: string): ShownIpvs {
  const lines = (name: string) => sorted(FAMILIES.map((family) => goldenSection(folder, family, name)).join("\n"));
  return { servers: lines("ipvs"), sets: lines("ipset"), addresses: lines("addresses").flatMap(addressLine) };
}

/** The lines of tables in a golden file. */
export function goldenTables(folder: string, family: Family): readonly string[] {
  return goldenSection(folder, family, iptablesOf(family)).split("\n");
}

/** What stands under a heading of a golden file; empty where there is none. */
export function goldenSection(folder: string, family: Family, name: string): string {
  const golden = readFileSync(join(folder, `ipvs.${family === "IPv4" ? "v4" : "v6"}.rules`), "utf8");
  const [, text = ""] = `\n${golden}`.split(`\n# ${name}\n`);
  return (text.split("\n\n")[0] ?? "").trimEnd();
}

/** How `ip` shows an address that `ip -batch` was told to add. */
function addressLine(line: string): string | readonly [] {
  const [, range = ""] = /^address add (\S+) dev kube-ipvs0$/.exec(line) ?? [];
  if (range === "") return [];
  return range.includes(":") ? `inet6 ${range} scope global` : `inet ${range} scope global kube-ipvs0`;
}

function sorted(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .sort();
}

async function print(program: string, ...args: readonly string[]): Promise<string> {
  return (await execa(program, args)).stdout;
}
