// Chooses which iptables programs are run: those that the PATH names, or one of two variants by what the node uses.
import { constants } from "node:fs";
import { access, readFile, realpath } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import { KernelError } from "../errors.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import type { RunCommand } from "./command.ts";
import { readGeneration } from "./generation.ts";
import { iptablesOf } from "./iptables.ts";
import { unlessRefused } from "./refused.ts";

const VARIANTS = ["nft", "legacy"] as const;

type Variant = (typeof VARIANTS)[number];

/** The programs of both families, and why they were chosen. */
export interface Tools {
  /** What `iptables` and `ip6tables` stand for: the same names, or `iptables-nft`, `ip6tables-legacy` and so on. */
  readonly programs: Readonly<Record<Family, string>>;
  /** Where on the PATH they are; undefined where there is no such program. */
  readonly paths: Readonly<Record<Family, string | undefined>>;
  readonly reason: string;
}

/** What the choice depends on; whatever is absent is read from this machine. */
export interface ToolsInput {
  /** Variants that are asked for. */
  readonly forced?: Readonly<Partial<Record<Family, Variant | undefined>>>;
  /** Folders that programs are looked for in, as in `PATH`. */
  readonly path: string;
  /** Tables that iptables-legacy has in the kernel; undefined where that cannot be seen. */
  readonly legacyTables: (family: Family) => Promise<readonly string[] | undefined>;
  readonly hasNft: () => Promise<boolean>;
}

/**
 * Name of the wrapper for both variants in an image, where `iptables` is a symbolic link to it: ours
 * (scripts/deploy) and kube-proxy's (kubernetes-sigs/iptables-wrappers).
 */
const WRAPPER = "iptables-wrapper";

/** Chains that only kubelet makes, in table mangle, through the tools of the host. */
const KUBELETS = /^:(?:KUBE-IPTABLES-HINT|KUBE-KUBELET-CANARY) /m;

/** Of iptables-legacy in one family: whether it has tables, or a mangle table, as far as the kernel tells. */
interface LegacyFamily {
  readonly family: Family;
  readonly tables: readonly string[] | undefined;
}

/**
 * The `iptables` that the PATH names. Where that is a wrapper of both variants, or only names with a variant are on the
 * PATH: the variant that this node uses. Rejects with KernelError where a variant is asked for that is not on the PATH.
 */
export async function chooseTools(run: RunCommand, given: Partial<ToolsInput> = {}): Promise<Tools> {
  const { forced = {}, path = process.env.PATH ?? "" } = given;
  const search = (program: string) => findProgram(program, path);
  const plain = await search("iptables");
  const wrapped = plain === undefined || plain.target === WRAPPER;
  const detected = wrapped && !forced.IPv4 ? await detectVariant(run, search, given) : undefined;
  // A missing ip6tables is replaced by the variant of iptables, where its name says which that is; else IPv6 is not served.
  const ipv6Program = async () => {
    if (forced.IPv4) return unlessRefused(forcedProgram(run, search, "IPv6", forced.IPv4), "ip6tables");
    if (detected?.variant) return named("IPv6", detected.variant);
    if ((await search("ip6tables")) !== undefined) return "ip6tables";
    const same = /^(?:iptables|xtables)-(nft|legacy)/.exec(plain?.target ?? "")?.[1];
    return same === undefined ? "ip6tables" : `ip6tables-${same}`;
  };
  const programs = {
    IPv4: forced.IPv4 ? await forcedProgram(run, search, "IPv4", forced.IPv4) : named("IPv4", detected?.variant),
    IPv6: forced.IPv6 ? await forcedProgram(run, search, "IPv6", forced.IPv6) : await ipv6Program(),
  };
  const [v4, v6] = await Promise.all(FAMILIES.map((family) => search(programs[family])));
  const reason = forced.IPv4 ? "variant set in the node facts" : (detected?.reason ?? "named by the PATH");
  return { programs, paths: { IPv4: v4?.path, IPv6: v6?.path }, reason };
}

interface FoundProgram {
  readonly path: string;
  /** Name of the file that it is in the end, symbolic links followed, such as `xtables-nft-multi`. */
  readonly target: string;
}

type Search = (program: string) => Promise<FoundProgram | undefined>;

function named(family: Family, variant: Variant | undefined): string {
  return variant === undefined ? iptablesOf(family) : `${iptablesOf(family)}-${variant}`;
}

/** The program that the PATH names, if it is of this variant, else the one whose name says so. */
async function forcedProgram(run: RunCommand, search: Search, family: Family, variant: Variant): Promise<string> {
  const plain = iptablesOf(family);
  const said = await unlessRefused(run({ program: plain, args: ["--version"] }), "");
  const found = await search(plain);
  if (said !== "" && found && found.target !== WRAPPER && variantIn(said) === variant) return plain;
  const program = named(family, variant);
  if (await search(program)) return program;
  const words = `${plain} on the PATH is of the other variant or missing, and there is no ${program}`;
  throw new KernelError({ step: program, target: "--version", code: "ENOENT", words });
}

/** Which kernel interface a program speaks to, by its `--version`; those before 1.8 have only one. */
export function variantIn(version: string): Variant {
  return version.includes("nf_tables") ? "nft" : "legacy";
}

/**
 * Where both variants are on the PATH: the one whose mangle table has kubelet's chains, else the one with more rules,
 * else nft where this kernel has nf_tables. No program is run where iptables-legacy has no tables. Rules of two variants
 * in one kernel all take effect, so writing through the wrong one would leave a node with both. Rejects with KernelError
 * where iptables-legacy has tables that it does not show: that takes CAP_NET_RAW.
 */
async function detectVariant(
  run: RunCommand,
  search: Search,
  { legacyTables = (family) => readLegacyTables(family), hasNft = knowsNft }: Partial<ToolsInput>,
): Promise<{ readonly variant: Variant | undefined; readonly reason: string }> {
  const there = await Promise.all(VARIANTS.map((variant) => search(`iptables-${variant}-restore`)));
  const [only, second] = VARIANTS.filter((_, index) => there[index] !== undefined);
  if (!second) return { variant: only, reason: only ? `only iptables-${only} is on the PATH` : "named by the PATH" };
  if (!(await hasNft())) return { variant: "legacy", reason: "the kernel has no nf_tables" };
  const families = await Promise.all(FAMILIES.map(async (family) => ({ family, tables: await legacyTables(family) })));
  const legacy = families.filter(({ tables }) => tables?.length !== 0);
  if (legacy.length === 0) return { variant: "nft", reason: "iptables-legacy has no tables in the kernel" };
  return compare(run, legacy);
}

async function compare(
  run: RunCommand,
  legacy: readonly LegacyFamily[],
): Promise<{ readonly variant: Variant; readonly reason: string }> {
  const ofNft = (args: readonly string[]) =>
    FAMILIES.map((family) => () => unlessRefused(save(run, "nft", family, args), ""));
  const ofLegacy = (some: readonly LegacyFamily[], args: readonly string[]) =>
    some.map(({ family, tables }) => () => {
      const text = save(run, "legacy", family, args);
      return tables ? text : unlessRefused(text, "");
    });
  const mangled = legacy.filter(({ tables }) => tables?.includes("mangle") ?? true);
  const kubelet = "kubelet's chains are in its mangle table";
  if (await hasKubelets(ofNft(MANGLE))) return { variant: "nft", reason: kubelet };
  if (await hasKubelets(ofLegacy(mangled, MANGLE))) return { variant: "legacy", reason: kubelet };
  const [rules, legacyRules] = [await countRules(ofNft([])), await countRules(ofLegacy(legacy, []))];
  const variant = legacyRules > rules ? "legacy" : "nft";
  return { variant, reason: `no chains of kubelet; iptables-nft has ${rules} rules, iptables-legacy ${legacyRules}` };
}

/** Runs the chosen programs wherever `iptables` or `ip6tables`, `-save` or `-restore` is asked for. */
export function throughTools(run: RunCommand, { programs }: Tools): RunCommand {
  return (command) => {
    const program = command.program.replace(/^iptables/, programs.IPv4).replace(/^ip6tables/, programs.IPv6);
    return run({ ...command, program });
  };
}

async function findProgram(program: string, folders: string): Promise<FoundProgram | undefined> {
  for (const folder of folders.split(delimiter).filter((folder) => folder !== "")) {
    const path = join(folder, program);
    const target = await executable(path);
    if (target !== undefined) return { path, target: basename(target) };
  }
  return undefined;
}

/** The file that a path leads to, if it may be executed. */
async function executable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return await realpath(path);
  } catch {
    return undefined;
  }
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
