// `fairlead diff`: prints the changes from an old to a new state.
import type { Backend } from "../backends/backend.ts";
import { InputError } from "../errors.ts";
import { KUBE_PROXY_TABLE } from "../kernel/nft-tables.ts";
import { FAMILIES } from "../net/family.ts";
import type { GivenFacts } from "../options/node-facts.ts";
import { compare } from "../plan/compare.ts";
import { compareObserved } from "../plan/compare-observed.ts";
import { diff } from "../plan/diff.ts";
import { changedLines, type Difference, serviceOf } from "../plan/difference.ts";
import { differenceData } from "../plan/difference-data.ts";
import { leavingSteps } from "../plan/leave-ipvs.ts";
import { type Leftover, leftNftablesTable, leftoversIn, printLeftover } from "../plan/leftovers/leftovers.ts";
import type { Plan } from "../plan/plan.ts";
import { printRestore, printRestoreOf, RESTORE_TOOLS } from "../plan/print-restore.ts";
import { type Kept, printKept, printText } from "../plan/print-text.ts";
import { printUnified } from "../plan/print-unified.ts";
import { selectDifferences } from "../plan/selected.ts";
import { carriedOut } from "../state/carried-out.ts";
import { DUMP_PARTS, type DumpPart } from "../state/dump-part.ts";
import type { KernelState } from "../state/kernel-state.ts";
import { variantOf } from "../state/node-facts.ts";
import { isOurChain } from "../state/ownership.ts";
import { belongsTo } from "../state/service-choice.ts";
import { openBackend } from "./backend.ts";
import { paintLines } from "./colour.ts";
import { checkSupported } from "./configuration.ts";
import { countedState } from "./counted-state.ts";
import { DATA_FORMATS, printData } from "./data-text.ts";
import {
  desiredSide,
  KERNEL,
  LIVE,
  openSide,
  openThisMachine,
  type Side,
  type SideMeans,
  withMachine,
} from "./diff-side.ts";
import { EXIT, type ExitCode, wrongUsage } from "./failure.ts";
import { type KnownServices, printCount, requireKnown } from "./input-objects.ts";
import type { InputFlags } from "./inputs.ts";
import type { Output } from "./output.ts";
import type { Progress } from "./progress.ts";

export const DIFF_FORMATS = ["text", "unified", ...DATA_FORMATS, "restore"] as const;

/** Parts of `restore`, each in the language of its own tool. */
export const RESTORE_SECTIONS = RESTORE_TOOLS;

export type RestoreSection = (typeof RESTORE_SECTIONS)[number];

export interface DiffFlags {
  /** The old state: `kernel`, `live`, or the path of a dump or manifests. */
  readonly from: string;
  /** The new state, likewise; undefined: the inputs. */
  readonly to?: string | undefined;
  readonly format: (typeof DIFF_FORMATS)[number];
  /** Of `restore`: only what this tool has to do. */
  readonly section?: RestoreSection | undefined;
  /** `namespace/name` or `namespace/name:port`; none: everything. */
  readonly services: readonly string[];
  /** Colour is welcome. */
  readonly colour: boolean;
}

/**
 * Compares and prints: `fine` where nothing differs, `problems` where something does, `unusable` where some input could
 * not be used. Rejects with InputError.
 */
export async function diffPaths(given: InputFlags, flags: DiffFlags, output: Output): Promise<ExitCode> {
  const { from, to, format } = flags;
  checkFlags(flags, given);
  checkSupported(given.options, ["iptables", "ipvs"]);
  const backend = await openBackend(given.options);
  const machine = from === KERNEL || to === KERNEL ? await openThisMachine(given) : undefined;
  const input = machine ? await withMachine(given, machine) : given;
  const means: SideMeans = { input, machine, backend, output, isApplied: format === "restore" };
  const old = await openSide(from, "--from", means);
  const ofInputs = from === LIVE ? { ...input, cluster: undefined } : input;
  const now = to === undefined ? await desiredSide(ofInputs, means) : await openSide(to, "--to", means);
  if (format === "restore" && now.kind === "observed") throw wrongUsage("-o restore needs manifests or live as --to");
  const complete = old.complete && now.complete;
  if (means.isApplied && !complete && !input.keepGoing) {
    throw new InputError({}, "nothing is printed, because the dump is incomplete; --keep-going prints the rest");
  }
  requireKnown(flags.services, joinServices(old.services, now.services));
  const found = await compareSides(old, now, { backend, facts: input.facts, progress: output.progress });
  const shown = selected(found, flags.services);
  const isData = DATA.has(format);
  for (const leftover of isData ? [] : shown.leftovers) output.note(`note: ${printLeftover(leftover)}`);
  const summary = printSummary(shown, flags, complete);
  await output.data(printFound(shown, flags, { summary, complete }));
  if (!SHOWS_KEPT.has(format)) for (const each of shown.kept) output.note(`note: ${printKept(each)}`);
  if (format !== "text") output.note(`note: ${summary}`);
  if (!complete) return EXIT.unusable;
  return shown.differences.length > 0 ? EXIT.problems : EXIT.fine;
}

const DATA: ReadonlySet<string> = new Set(DATA_FORMATS);
const SHOWS_KEPT: ReadonlySet<string> = new Set(["text", ...DATA_FORMATS]);

function checkFlags({ from, to, format, section, services }: DiffFlags, { paths, cluster }: InputFlags): void {
  if (section !== undefined && format !== "restore") throw wrongUsage("--section requires -o restore");
  if (services.length > 0 && format === "restore") throw wrongUsage("--service and -o restore are mutually exclusive");
  if (to !== undefined && paths.length > 0) throw wrongUsage("--to and file arguments are mutually exclusive");
  if ((from === LIVE || to === LIVE) && !cluster) throw wrongUsage("live needs --kubeconfig FILE or --in-cluster");
  if (from === to && (from === KERNEL || from === LIVE)) throw wrongUsage(`--from and --to are both ${from}`);
  if ([from, ...(to === undefined ? paths : [to])].filter((path) => path === "-").length > 1) {
    throw wrongUsage("standard input (-) can be read only once");
  }
}

function joinServices(one: KnownServices, other: KnownServices): KnownServices {
  const joined = new Map(one);
  for (const [name, ports] of other) joined.set(name, new Set([...(joined.get(name) ?? []), ...ports]));
  return joined;
}

/** All families together. */
interface Found {
  readonly differences: readonly Difference[];
  readonly kept: readonly Kept[];
  /** What the observed side has of a mode or layout other than the desired one. */
  readonly leftovers: readonly Leftover[];
  /** How many families and chains of node proxies were compared. */
  readonly compared: { readonly families: number; readonly chains: number };
  /** Computed when called. */
  readonly plans: () => readonly Plan[];
}

interface Means {
  readonly backend: Backend;
  readonly facts: GivenFacts;
  readonly progress: Progress;
}

/** Throws InputError where no family is in both. */
async function compareSides(old: Side, now: Side, means: Means): Promise<Found> {
  const found = now.kind === "desired" ? await compareDesired(old, now, means) : await compareFound(old, now, means);
  if (found.compared.families > 0) return found;
  throw new InputError({}, "nothing to compare: the two sides have no IP family in common");
}

async function compareDesired(old: Side, now: Side & { kind: "desired" }, means: Means): Promise<Found> {
  const { backend, facts, progress } = means;
  const { jumps } = backend;
  const pairs: { readonly wanted: KernelState; readonly actual: KernelState }[] = [];
  for (const family of FAMILIES) {
    const wanted = now.state(family);
    if (!wanted) continue;
    const actual = old.kind === "desired" ? ifThere(old.state(family)) : await old.state(family, wanted);
    if (actual) pairs.push({ wanted: countedState(wanted, progress), actual });
  }
  const all = pairs.map(({ wanted, actual }) => ({ family: wanted.family, ...compare(wanted, actual, jumps) }));
  const differences = all.flatMap((each) => each.differences);
  const parts = new Set(old.kind === "desired" ? DUMP_PARTS : old.parts);
  const leftovers = old.kind === "desired" ? [] : pairs.flatMap(({ wanted, actual }) => leftoversIn(actual, wanted));
  return {
    differences,
    kept: all.flatMap(({ family, kept }) => kept.map((each) => ({ family, ...each }))),
    leftovers: [...leftovers, ...(await leftTables(old))],
    compared: countCompared(
      pairs.map(({ actual }) => actual),
      differences,
      parts,
    ),
    plans: () =>
      pairs.map(({ wanted, actual }) => {
        const { steps, kept } = diff(wanted, actual, { jumps, variant: variantOf(facts, wanted.family) });
        return { steps: [...steps, ...leavingSteps(wanted, actual)], kept };
      }),
  };
}

function ifThere(state: KernelState | undefined): KernelState | undefined {
  return state && carriedOut(state);
}

/** Tables of kube-proxy's nftables mode, where this node's kernel is one of the sides. */
async function leftTables(side: Side): Promise<readonly Leftover[]> {
  const families = side.kind === "observed" ? await side.nftablesTables() : [];
  return families.map((family) => leftNftablesTable(family, KUBE_PROXY_TABLE));
}

async function compareFound(old: Side, now: Side & { kind: "observed" }, { backend }: Means): Promise<Found> {
  const parts = new Set(
    DUMP_PARTS.filter((part) => now.parts.has(part) && (old.kind === "desired" || old.parts.has(part))),
  );
  const differences: Difference[] = [];
  const states: KernelState[] = [];
  const leftovers: Leftover[] = [];
  for (const family of FAMILIES) {
    const wanted = old.kind === "desired" ? old.state(family) : undefined;
    const from = old.kind === "desired" ? ifThere(wanted) : await old.state(family);
    const to = from && (await now.state(family, wanted));
    if (!to) continue;
    if (wanted) leftovers.push(...leftoversIn(to, wanted));
    states.push(from);
    const gaps = [old, now].flatMap((side) => (side.kind === "observed" ? side.missing(family) : []));
    differences.push(...compareObserved(from, to, { jumps: backend.jumps, parts, missing: new Set(gaps) }));
  }
  if (old.kind === "desired") leftovers.push(...(await leftTables(now)));
  return { differences, kept: [], leftovers, compared: countCompared(states, differences, parts), plans: () => [] };
}

/** The chains of the old states, and those that only the new ones have. */
function countCompared(
  states: readonly KernelState[],
  differences: readonly Difference[],
  parts: ReadonlySet<DumpPart>,
): Found["compared"] {
  if (!parts.has("tables")) return { families: states.length, chains: 0 };
  const tables = states.flatMap((state) => [...state.tables]);
  const chains = tables.flatMap(([table, all]) => [...all.keys()].filter((chain) => isOurChain(table, chain)));
  const fresh = differences.filter(({ place, change }) => place.kind === "chain" && change === "new");
  return { families: states.length, chains: chains.length + fresh.length };
}

function selected(found: Found, services: readonly string[]): Found {
  if (services.length === 0) return found;
  const isAsked = (owner: string) => services.some((service) => belongsTo(owner, service));
  return { ...found, kept: [], leftovers: [], differences: selectDifferences(found.differences, isAsked) };
}

/** `no differences (2 families, 412 chains compared)`, `2 Services: 14 lines added, 3 removed (…)`. */
function printSummary({ differences, compared }: Found, { services }: DiffFlags, complete: boolean): string {
  const families = compared.families === 1 ? "1 family" : `${compared.families} families`;
  const about = `${families}, ${printCount(compared.chains, "chain")} compared`;
  const asked = services.length === 0 ? "" : ` for ${services.join(", ")}`;
  if (differences.length === 0)
    return `no differences${asked}${complete ? "" : " in what could be compared"} (${about})`;
  const lines = differences.flatMap(changedLines);
  const changed = new Set(lines.flatMap(({ owner }) => (owner === undefined ? [] : [serviceOf(owner)])));
  const [added, removed] = ["comes", "goes"].map((kind) => lines.filter((line) => line.kind === kind).length);
  return `${printCount(changed.size, "Service")} changed: ${printCount(added ?? 0, "line")} added, ${removed} removed (${about})`;
}

/** What is said of a comparison beside the differences. */
interface About {
  readonly summary: string;
  /** False where some input could not be read or compared. */
  readonly complete: boolean;
}

function printFound(found: Found, { format, section, colour }: DiffFlags, about: About): Iterable<string> {
  const { differences, kept, leftovers, compared, plans } = found;
  switch (format) {
    case "text":
      return withSummary(paintLines(printText(differences, kept), colour), about.summary);
    case "unified":
      return paintLines(printUnified(differences), colour);
    case "json":
    case "yaml":
      return printData(
        {
          apiVersion: "fairlead/v1",
          kind: "Diff",
          compared,
          complete: about.complete,
          ...differenceData(differences, kept, leftovers),
        },
        format,
      );
    case "restore":
      return section === undefined ? printRestore(plans()) : printRestoreOf(plans(), section);
  }
}

/** The summary is the last line, after an empty one. */
function* withSummary(lines: Iterable<string>, summary: string): Iterable<string> {
  let first = true;
  for (const line of lines) {
    first = false;
    yield line;
  }
  yield* first ? [summary] : ["", summary];
}
