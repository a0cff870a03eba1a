// How is one of the two kernel interfaces behind the name `iptables` chosen for one test, and for nothing else?
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import type { Netns } from "./netns.ts";
import { sandboxEnvironment } from "./sandbox.ts";

export type Variant = "nft" | "legacy";

export const VARIANTS: readonly Variant[] = ["nft", "legacy"];

const DIRECTORIES = ["/usr/local/sbin", "/usr/sbin", "/sbin", "/usr/local/bin", "/usr/bin", "/bin"];

/** Why a variant cannot be tested here, as tap's `skip` takes it. To be asked inside the sandbox. */
export function variantSkip(variant: Variant): string | false {
  for (const command of ["iptables", "ip6tables"]) {
    const program = find(`${command}-${variant}`);
    if (program === undefined) return `${command}-${variant} is not installed`;
    const listed = spawnSync(program, ["-w", "-t", "nat", "-S"], { encoding: "utf8" });
    if (listed.status !== 0) return `${command}-${variant}: ${listed.stderr.trim()}`;
  }
  return false;
}

/**
 * An environment in which `iptables` and its relatives are this variant, and the other one is nowhere: every other
 * program is found as ever. The links live in the private /run.
 */
export function variantEnvironment(variant: Variant): NodeJS.ProcessEnv {
  const folder = join("/run/fairlead-test", variant);
  if (!existsSync(folder)) linkPrograms(folder, variant);
  return { ...sandboxEnvironment(), PATH: folder };
}

/** Runs a command in a namespace; throws with the command's own words. */
export async function inNamespace(
  { path }: Netns,
  command: readonly string[],
  { env, input = "" }: { readonly env: NodeJS.ProcessEnv; readonly input?: string },
): Promise<string> {
  const { stdout } = await execa("nsenter", [`--net=${path}`, ...command], { env, input });
  return stdout;
}

/** From here on the programs that this process starts find iptables-legacy under the name `iptables`. */
export function legacyFirst(): void {
  const folder = "/run/fairlead-legacy";
  mkdirSync(folder, { recursive: true });
  linkIptables(folder, "legacy");
  process.env.PATH = `${folder}${delimiter}${process.env.PATH}`;
}

function linkIptables(folder: string, variant: Variant): void {
  for (const command of ["iptables", "ip6tables"]) {
    for (const suffix of ["", "-save", "-restore"]) {
      link(find(`${command}-${variant}${suffix}`), join(folder, `${command}${suffix}`));
    }
  }
}

function linkPrograms(folder: string, variant: Variant): void {
  mkdirSync(folder, { recursive: true });
  const foreign = variant === "nft" ? /^(ip6?tables|xtables)-legacy/ : /^(ip6?tables|xtables)-nft/;
  linkIptables(folder, variant);
  for (const directory of sandboxEnvironment().PATH?.split(delimiter) ?? []) {
    const names = existsSync(directory) ? readdirSync(directory) : [];
    for (const name of names.filter((each) => !foreign.test(each))) link(join(directory, name), join(folder, name));
  }
}

/** What comes first in PATH counts. */
function link(program: string | undefined, path: string): void {
  if (program !== undefined && !lstatSync(path, { throwIfNoEntry: false })) symlinkSync(program, path);
}

function find(program: string): string | undefined {
  return DIRECTORIES.map((folder) => join(folder, program)).find(existsSync);
}
