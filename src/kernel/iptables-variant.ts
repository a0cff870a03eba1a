// Which variant of the tools of iptables is this node's, where there are two?
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { FAMILIES, type Family } from "../net/family.ts";
import type { RunCommand } from "./command.ts";
import { readGeneration } from "./generation.ts";
import { iptablesOf } from "./iptables.ts";
import { unlessRefused } from "./refused.ts";

const VARIANTS = ["nft", "legacy"] as const;

/** `plain`: whatever the bare names stand for. */
export type Tools = (typeof VARIANTS)[number] | "plain";

/** What is looked at before any tool is run. */
export interface Surroundings {
  /** The variant that is this node's for sure, if its tools are at hand. */
  readonly known?: (typeof VARIANTS)[number] | undefined;
  /** Folders that programs are looked for in, as in `PATH`. */
  readonly path: string;
  /** Tables that iptables-legacy has in the kernel; undefined where that cannot be seen. */
  readonly legacyTables: (family: Family) => Promise<readonly string[] | undefined>;
  readonly hasNft: () => Promise<boolean>;
}

/** Chains that only kubelet makes, in table mangle, through the tools of the host. */
const KUBELETS = /^:(?:KUBE-IPTABLES-HINT|KUBE-KUBELET-CANARY) /m;

/** Of iptables-legacy in one family: whether it has tables, or a mangle table, as far as the kernel tells. */
interface LegacyFamily {
  readonly family: Family;
  readonly tables: readonly string[] | undefined;
}

/**
 * Where both variants are at hand: the one whose mangle table has kubelet's chains, else the one with more rules, else
 * nft where this kernel knows it. No tool is run where iptables-legacy has no tables. Rules of two variants in one kernel
 * all count, so writing through the wrong one would leave a node with both. Rejects with KernelError where
 * iptables-legacy has tables that it does not show: that takes CAP_NET_RAW.
 */
export async function detectTools(run: RunCommand, given: Partial<Surroundings> = {}): Promise<Tools> {
  const {
    known,
    path = process.env.PATH ?? "",
    legacyTables = (family) => readLegacyTables(family),
    hasNft = knowsNft,
  } = given;
  const there = await Promise.all(VARIANTS.map((variant) => isAtHand(variant, path)));
  if (known) return there[VARIANTS.indexOf(known)] ? known : "plain";
  const [only, second] = VARIANTS.filter((_, index) => there[index]);
  if (!second) return only ?? "plain";
  if (!(await hasNft())) return "legacy";
  const families = await Promise.all(FAMILIES.map(async (family) => ({ family, tables: await legacyTables(family) })));
  const legacy = families.filter(({ tables }) => tables?.length !== 0);
  return legacy.length === 0 ? "nft" : compare(run, legacy);
}

async function compare(run: RunCommand, legacy: readonly LegacyFamily[]): Promise<Tools> {
  const ofNft = (args: readonly string[]) =>
    FAMILIES.map((family) => () => unlessRefused(save(run, "nft", family, args), ""));
  const ofLegacy = (some: readonly LegacyFamily[], args: readonly string[]) =>
    some.map(({ family, tables }) => () => {
      const text = save(run, "legacy", family, args);
      return tables ? text : unlessRefused(text, "");
    });
  const mangled = legacy.filter(({ tables }) => tables?.includes("mangle") ?? true);
  if (await hasKubelets(ofNft(MANGLE))) return "nft";
  if (await hasKubelets(ofLegacy(mangled, MANGLE))) return "legacy";
  return (await countRules(ofLegacy(legacy, []))) > (await countRules(ofNft([]))) ? "legacy" : "nft";
}

/** Runs these very tools wherever one of iptables is asked for. */
export function throughTools(run: RunCommand, tools: Tools): RunCommand {
  if (tools === "plain") return run;
  return (command) => run({ ...command, program: command.program.replace(/^ip6?tables/, `$&-${tools}`) });
}

async function isAtHand(variant: string, path: string): Promise<boolean> {
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const found = await Promise.all(folders.map((folder) => isProgram(join(folder, `iptables-${variant}-restore`))));
  return found.includes(true);
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Tables that were ever used, as the kernel lists them; the file is missing until its module is loaded. */
export async function readLegacyTables(family: Family, folder = "/proc/net"): Promise<readonly string[] | undefined> {
  try {
    const text = await readFile(`${folder}/${family === "IPv4" ? "ip" : "ip6"}_tables_names`, "utf8");
    return text.split("\n").filter((name) => name !== "");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : undefined;
  }
}

async function knowsNft(): Promise<boolean> {
  return (await readGeneration()) !== undefined;
}

const MANGLE = ["-t", "mangle"];

type Save = () => Promise<string>;

/** One after the other: the first mostly has the answer. */
async function hasKubelets(saves: readonly Save[]): Promise<boolean> {
  for (const one of saves) if (KUBELETS.test(await one())) return true;
  return false;
}

async function countRules(saves: readonly Save[]): Promise<number> {
  const texts = await Promise.all(saves.map((one) => one()));
  return texts.reduce((sum, text) => sum + (text.match(/^-A /gm)?.length ?? 0), 0);
}

function save(run: RunCommand, variant: string, family: Family, args: readonly string[]): Promise<string> {
  return run({ program: `${iptablesOf(family)}-${variant}-save`, args });
}
