// With what is the wanted state compared: a kernel, a dump, or other manifests?
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import type { Backend } from "../backends/backend.ts";
import { ownSetNames } from "../backends/own-sets.ts";
import { InputError } from "../errors.ts";
import { findKnownSets } from "../kernel/ipset.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { findDevice } from "../kernel/link.ts";
import { unlessRefused } from "../kernel/refused.ts";
import type { Family } from "../net/family.ts";
import { nodeNameOf } from "../options/complete.ts";
import { STANDARD_INPUT } from "../source/written-objects.ts";
import { carriedOut, withoutGaps } from "../state/carried-out.ts";
import { type Dump, type DumpState, isDump } from "../state/dump.ts";
import { missingParts } from "../state/dump-missing.ts";
import { DUMP_PARTS, type DumpPart } from "../state/dump-part.ts";
import { isIpvsMode, type KernelState } from "../state/kernel-state.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import { readDump, readDumpText } from "./dump-file.ts";
import { askedNode, type InputFlags, openInputs, reportInputs } from "./inputs.ts";
import { openMachine } from "./machine.ts";
import type { Output } from "./output.ts";

/** The word that stands for the machine at hand. */
export const KERNEL = "kernel";

export interface Side {
  /** How the wanted side is to be read. */
  readonly input: InputFlags;
  /** Could all of it be read? */
  readonly complete: boolean;
  /** As observed; undefined for a family that it says nothing about. */
  actual(wanted: KernelState): Promise<KernelState | undefined>;
}

export interface SideMeans {
  readonly input: InputFlags;
  readonly backend: Backend;
  readonly output: Output;
}

/**
 * Opens what is named: `kernel`, or a file or directory, which is a dump or manifests, as its content tells. Rejects
 * with InputError for what is neither, and with KernelError.
 */
export async function openSide(against: string, means: SideMeans): Promise<Side> {
  const { input, output } = means;
  if (against === KERNEL) return kernelSide(input);
  if (await isDirectory(against)) return manifestSide(against, means);
  if (against === STANDARD_INPUT && input.paths.includes(STANDARD_INPUT)) {
    throw new InputError({ source: "--against" }, "standard input can be read only once");
  }
  const text = await readDumpText(against);
  output.progress.show(() => `reading ${against}`);
  if (text.trim() === "") throw new InputError({ source: against }, "is empty: neither a dump nor a manifest");
  if (isDump(text)) return dumpSide(readDump(against, text, onlyFamily(input)), input, output);
  if (against === STANDARD_INPUT) throw new InputError({ source: against }, "is no dump");
  return manifestSide(against, means);
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function onlyFamily({ families }: InputFlags): Family | undefined {
  return families.length === 1 ? families[0] : undefined;
}

/** Facts that are not given are this machine's, and its name is the node's. */
async function kernelSide(input: InputFlags): Promise<Side> {
  const { kernel } = await openMachine(input.facts);
  const facts = await kernel.facts();
  const node = input.node ?? nodeNameOf(input.options.hostnameOverride, hostname());
  return { input: { ...input, facts, node }, complete: true, actual: (wanted) => observe(kernel, wanted) };
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

/** Missing parts are not compared; they make the side incomplete, so that the result never is "no differences". */
function dumpSide(dump: Dump, input: InputFlags, output: Output): Side {
  const { states, told } = dump;
  const asked = input.families.filter((family) => states.has(family) && told.has("tables"));
  const missing = asked.flatMap((family) => missingParts([dump], family)).filter(({ part }) => part !== "servers");
  for (const { family, reason } of missing) output.note(`unknown: ${reason} (${family}); not compared`);
  for (const { line, table = "" } of told.has("tables") ? [] : dump.gaps) {
    output.note(`unknown: line ${line}: the ${table} table in the dump is truncated (no COMMIT); not compared`);
  }
  const leftOut = (wanted: KernelState) => {
    output.note(`note: the dump says nothing of ${wanted.family}, which is left out`);
    return undefined;
  };
  for (const part of DUMP_PARTS) if (isMissed(part, told, input)) output.note(NOT_TOLD[part]);
  return {
    input,
    complete: missing.length === 0 && dump.gaps.length === 0,
    actual: async (wanted) => {
      const found = states.get(wanted.family);
      if (found === undefined) return leftOut(wanted);
      const parts = missing.filter(({ family }) => family === wanted.family).map(({ part }) => part);
      return withoutGaps(withOwnSets(found), wanted, { told, missing: parts });
    },
  };
}

/** Sets of others are nobody's business here. */
function withOwnSets(state: DumpState): KernelState {
  const names = ownSetNames(state.family);
  return { ...state, ipvs: { ...state.ipvs, sets: state.ipvs.sets.filter(({ name }) => names.includes(name)) } };
}

const NOT_TOLD: Readonly<Record<DumpPart, string>> = {
  tables: "note: the dump has no rules (iptables-save), so none are compared",
  sets: "note: the dump has no sets (ipset save), so none are compared",
  servers: "note: the dump has no virtual servers (ipvsadm -Sn), so none are compared",
  addresses: "",
  sysctls: "",
  counters: "",
};

/** No dump of an ordinary node tells of addresses, settings and counters. */
function isMissed(part: DumpPart, told: ReadonlySet<DumpPart>, { options }: InputFlags): boolean {
  if (NOT_TOLD[part] === "" || told.has(part)) return false;
  if (options.mode !== "ipvs") return part === "tables" || (part === "sets" && options.iptablesLayout === "Indexed");
  return true;
}

async function manifestSide(path: string, { input, backend, output }: SideMeans): Promise<Side> {
  // Both sides are of one node.
  const inputs = await openInputs({ ...input, node: askedNode(input), cluster: undefined, paths: [path] }, backend);
  reportInputs({ ...inputs, notes: [] }, input, { output, isApplied: false });
  return {
    input,
    complete: inputs.problems.length === 0,
    actual: async ({ family }) => {
      const state = inputs.wanted(family);
      return state && carriedOut(state);
    },
  };
}
