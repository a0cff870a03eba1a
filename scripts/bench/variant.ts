// How does the name `iptables` come to mean one of the two variants, for this process and its children alone?
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Variant } from "../../src/plan/transactions.ts";
import { FOLDER } from "./sandbox.ts";

export const VARIANTS: readonly Variant[] = ["nft", "legacy"];

/** Tells the daemon, which else looks for itself which of the two this node has. */
export const NODE_FACTS = join(FOLDER, "node-facts");

/** Where administrators' programs are, whether on the PATH or not. */
const FOLDERS = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin"];

export function isInstalled(variant: Variant): boolean {
  return find(`iptables-${variant}-restore`) !== undefined;
}

/** Links the programs of the variant in front of all others. To be called inside the sandbox. */
export function chooseVariant(variant: Variant): void {
  const folder = join(FOLDER, "programs");
  mkdirSync(folder, { recursive: true });
  for (const command of ["iptables", "ip6tables"]) {
    for (const suffix of ["", "-save", "-restore"]) {
      const program = find(`${command}-${variant}${suffix}`);
      if (program !== undefined) symlinkSync(program, join(folder, `${command}${suffix}`));
    }
  }
  writeFileSync(NODE_FACTS, JSON.stringify({ iptablesVariant: variant }));
  process.env["PATH"] = `${folder}:${process.env["PATH"] ?? ""}`;
}

function find(program: string): string | undefined {
  return FOLDERS.map((folder) => join(folder, program)).find(existsSync);
}
