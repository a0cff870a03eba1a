// Opens one side of a comparison: a kernel, a live cluster, a dump, or manifests.
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { Readable } from "node:stream";
import type { Backend } from "../backends/backend.ts";
import { ownSetNames } from "../backends/own-sets.ts";
import { InputError, KernelError, RuleSyntaxError } from "../errors.ts";
import { findKnownSets } from "../kernel/ipset.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { findDevice } from "../kernel/link.ts";
import { familiesOfTable, KUBE_PROXY_TABLE } from "../kernel/nft-tables.ts";
import { unlessRefused } from "../kernel/refused.ts";
import { didYouMean } from "../nearest.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import { nodeNameOf } from "../options/complete.ts";
import { servicesNamedIn } from "../plan/owners.ts";
import { STANDARD_INPUT } from "../source/written-objects.ts";
import { withoutGaps } from "../state/carried-out.ts";
import { type Dump, type DumpState, isDump } from "../state/dump.ts";
import { missingParts } from "../state/dump-missing.ts";
import { DUMP_PARTS, type DumpPart, type MissingPart } from "../state/dump-part.ts";
import { emptyState, isIpvsMode, type KernelState } from "../state/kernel-state.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import { readDump, readDumpText } from "./dump-file.ts";
import { type KnownServices, knownServices } from "./input-objects.ts";
import { askedNode, type InputFlags, openInputs, reportInputs } from "./inputs.ts";
import { isPermission, type Machine, openMachine, ruleAccessError } from "./machine.ts";
import type { Output } from "./output.ts";

/** The word for the kernel of the machine that the command runs on. */
export const KERNEL = "kernel";

/** The word for the cluster of the kubeconfig. */
export const LIVE = "live";

interface AnySide {
  /** False where some input could not be read. */
  readonly complete: boolean;
  readonly services: KnownServices;
}

/** Manifests or a live cluster. */
export interface DesiredSide extends AnySide {
  readonly kind: "desired";
  /** Undefined for a family that is not asked for or not usable. */
  state(family: Family): KernelState | undefined;
}

/** A kernel or a dump. */
export interface ObservedSide extends AnySide {
  readonly kind: "observed";
  /** `other` has the settings and counters to look at. Undefined for a family that it does not tell of. */
  state(family: Family, other?: KernelState): Promise<KernelState | undefined>;
  /** What it shows. */
  readonly parts: ReadonlySet<DumpPart>;
  /** Tables that it does not show although it shows others. */
  missing(family: Family): readonly MissingPart["part"][];
  /** Families with a table of kube-proxy's nftables mode; none of a dump, which does not show such tables. */
  nftablesTables(): Promise<readonly Family[]>;
}

export type Side = DesiredSide | ObservedSide;

export interface SideMeans {
  readonly input: InputFlags;
  /** Opened for `kernel`. */
  readonly machine: Machine | undefined;
  readonly backend: Backend;
  readonly output: Output;
  /** The result is fit to be applied. */
  readonly isApplied: boolean;
}

/**
 * Opens a side by its name: `kernel`, `live`, or a path, which is a dump or manifests, as its content tells. `flag` is
 * where it was given. Rejects with InputError.
 */
export async function openSide(name: string, flag: string, means: SideMeans): Promise<Side> {
  const { input, machine, output } = means;
  if (name === KERNEL && machine) return kernelSide(input, machine, output);
  if (name === LIVE) return desiredSide({ ...input, paths: [] }, means);
  const manifests = { ...input, cluster: undefined, paths: [name] };
  const kind = await kindOf(name);
  if (kind === "directory") return desiredSide(manifests, means);
  const text = await readDumpText(name).catch((error: unknown) => {
    throw error instanceof InputError
      ? new InputError({ source: flag }, `${error.message}${didYouMean(name, [KERNEL, LIVE])}`)
      : error;
  });
  output.progress.show(() => `reading ${name}`);
  if (text.trim() === "") throw new InputError({ source: name }, "is empty: neither a dump nor a manifest");
  if (isDump(text)) return dumpSide(readDump(name, text, onlyFamily(input)), input, { name, output });
  // A pipe can be read only once.
  if (kind === "file") return desiredSide(manifests, means);
  return desiredSide({ ...manifests, paths: [STANDARD_INPUT], stdin: Readable.from([text]) }, means);
}

async function kindOf(path: string): Promise<"directory" | "file" | "other"> {
  const found = path === STANDARD_INPUT ? undefined : await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return "directory";
  return found?.isFile() ? "file" : "other";
}

function onlyFamily({ families }: InputFlags): Family | undefined {
  return families.length === 1 ? families[0] : undefined;
}

/** The inputs of the command line, or of one side of it. */
export async function desiredSide(input: InputFlags, { backend, output, isApplied }: SideMeans): Promise<DesiredSide> {
  const inputs = await openInputs({ ...input, node: askedNode(input) }, backend);
  reportInputs(inputs, input, { output, isApplied });
  return {
    kind: "desired",
    complete: inputs.problems.length === 0,
    services: knownServices(inputs.objects),
    state: inputs.wanted,
  };
}

const REMEDY = "or pass a dump with --from FILE";

/** Rejects with InputError where the iptables programs that are asked for are missing. */
export function openThisMachine({ facts }: InputFlags): Promise<Machine> {
  return opened(openMachine(facts));
}

/** With the facts of the machine, which are then those of the node; facts that are given go before them. */
export async function withMachine(given: InputFlags, { kernel }: Machine): Promise<InputFlags> {
  const facts = await kernel.facts();
  return { ...given, facts, node: given.node ?? nodeNameOf(given.options.hostnameOverride, hostname()) };
}

async function kernelSide(input: InputFlags, machine: Machine, output: Output): Promise<ObservedSide> {
  const usable = (input.facts.families ?? FAMILIES).filter((family) => input.families.includes(family));
  await requireReadable(machine, input, usable, output);
  return {
    kind: "observed",
    complete: true,
    parts: new Set(DUMP_PARTS),
    missing: () => [],
    nftablesTables: async () => {
      const families = await unlessRefused(familiesOfTable(KUBE_PROXY_TABLE), []);
      return families.filter((family) => usable.includes(family));
    },
    services: new Map(),
    state: async (family, other) => {
      if (!usable.includes(family)) return undefined;
      return opened(observe(machine.kernel, other ?? emptyState(family)));
    },
  };
}

/** What a family needs to be readable is asked of its tool: a family that the node does not have is left out. */
async function requireReadable(
  machine: Machine,
  { families }: Pick<InputFlags, "families">,
  usable: readonly Family[],
  output: Output,
): Promise<void> {
  for (const family of families) {
    if (usable.includes(family)) continue;
    const why = await machine.whyUnusable(family);
    if (usable.length === 0 || isPermission(why)) throw ruleAccessError("read", why, REMEDY);
    output.note(`note: ${family} is not compared: ${why}`);
  }
}

/** Rejects with InputError, with a remedy, where the kernel or its tools do not let us read. */
async function opened<T>(attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    const isExpected = error instanceof KernelError || error instanceof RuleSyntaxError;
    throw isExpected ? ruleAccessError("read", error.message, REMEDY) : error;
  }
}

/**
 * What another mode left is looked for where its interface or one of its sets is: to ask for more could load modules into
 * the kernel.
 */
async function observe(kernel: Kernel, wanted: KernelState): Promise<KernelState> {
  const { family, counters, ipvs } = wanted;
  const [sysctls, sets] = [wanted.sysctls.map(({ path }) => path), ownSetNames(family)];
  const all = { sets, device: IPVS_DEVICE };
  if (isIpvsMode(wanted)) return kernel.observe(family, { sysctls, counters, ipvs: all });
  const own = ipvs && { ipvs: { sets: ipvs.sets.map(({ name }) => name), device: undefined } };
  const state = await kernel.observe(family, { sysctls, counters, ...own });
  const device = (await unlessRefused(findDevice(), undefined)) && IPVS_DEVICE;
  const known = await unlessRefused(findKnownSets(sets), []);
  if (device === undefined && known.length === 0) return state;
  const found = await unlessRefused(kernel.ipvs(family, { sets, device }), undefined);
  return found ? { ...state, ipvs: found } : state;
}

/**
 * Parts that the dump itself shows to be missing are not compared; they make the side incomplete, so that the result
 * never is "no differences". Throws InputError for a dump without anything that this mode has.
 */
function dumpSide(
  dump: Dump,
  input: InputFlags,
  { name, output }: { readonly name: string; readonly output: Output },
): ObservedSide {
  const { states, told, gaps } = dump;
  const asked = input.families.filter((family) => states.has(family) && told.has("tables"));
  const missing = asked.flatMap((family) => missingParts([dump], family)).filter(({ part }) => part !== "servers");
  for (const { family, reason } of missing) output.note(`unknown: ${reason} (${family}); not compared`);
  for (const { line, table = "" } of told.has("tables") ? [] : gaps) {
    output.note(`unknown: line ${line}: the ${table} table in the dump is truncated (no COMMIT); not compared`);
  }
  const parts = neededParts(input);
  if (!parts.some((part) => told.has(part)) && gaps.length === 0) {
    throw new InputError({ source: name }, `nothing to compare: no ${NOUNS[parts[0]]} in this dump`);
  }
  for (const part of parts) {
    if (!told.has(part) && gaps.length === 0) output.note(`note: the dump has no ${NOUNS[part]}; not compared`);
  }
  for (const family of input.families) {
    if (!states.has(family)) output.note(`note: the dump has nothing of ${family}; not compared`);
  }
  const missingIn = (family: Family) => missing.filter((each) => each.family === family).map(({ part }) => part);
  return {
    kind: "observed",
    complete: missing.length === 0 && gaps.length === 0,
    parts: told,
    missing: missingIn,
    nftablesTables: async () => [],
    services: servicesNamedIn([...states.values()]),
    state: async (family, other) => {
      const state = states.get(family);
      if (!state || !other) return state && withOwnSets(state);
      return withoutGaps(withOwnSets(state), other, { told, missing: missingIn(family) });
    },
  };
}

/** Sets of other software are not compared. */
function withOwnSets(state: DumpState): KernelState {
  const names = ownSetNames(state.family);
  return { ...state, ipvs: { ...state.ipvs, sets: state.ipvs.sets.filter(({ name }) => names.includes(name)) } };
}

const NOUNS = {
  tables: "rules (iptables-save)",
  sets: "sets (ipset save)",
  servers: "virtual servers (ipvsadm -Sn)",
} as const;

/** What a dump of an ordinary node has to show in this mode; it has no addresses, settings and counters. */
function neededParts({ options }: InputFlags): readonly ["tables", ...("sets" | "servers")[]] {
  if (options.mode === "ipvs") return ["tables", "sets", "servers"];
  return options.iptablesLayout === "Indexed" ? ["tables", "sets"] : ["tables"];
}
