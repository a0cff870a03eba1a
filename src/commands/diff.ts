// What would have to change?
import type { Backend } from "../backends/backend.ts";
import { FAMILIES } from "../net/family.ts";
import { compare } from "../plan/compare.ts";
import { diff } from "../plan/diff.ts";
import type { Difference } from "../plan/difference.ts";
import { differenceData } from "../plan/difference-data.ts";
import { leavingSteps } from "../plan/leave-ipvs.ts";
import type { Plan } from "../plan/plan.ts";
import { printRestore, printRestoreOf, RESTORE_TOOLS } from "../plan/print-restore.ts";
import { type Kept, printKept, printText } from "../plan/print-text.ts";
import { printUnified } from "../plan/print-unified.ts";
import { selectDifferences } from "../plan/selected.ts";
import type { KernelState } from "../state/kernel-state.ts";
import { variantOf } from "../state/node-facts.ts";
import { belongsTo } from "../state/service-choice.ts";
import { openBackend } from "./backend.ts";
import { paintLines } from "./colour.ts";
import { checkSupported } from "./configuration.ts";
import { countedState } from "./counted-state.ts";
import { printData } from "./data-text.ts";
import { openSide, type Side } from "./diff-side.ts";
import { wrongUsage } from "./failure.ts";
import { type InputFlags, type Inputs, openInputs, reportInputs } from "./inputs.ts";
import type { Output } from "./output.ts";
import type { Progress } from "./progress.ts";

export const DIFF_FORMATS = ["text", "unified", "json", "restore"] as const;

/** Parts of `restore`, each in the language of its own tool. */
export const RESTORE_SECTIONS = RESTORE_TOOLS;

export type RestoreSection = (typeof RESTORE_SECTIONS)[number];

export interface DiffFlags {
  /** `kernel`, a dump, or manifests. */
  readonly against: string;
  readonly format: (typeof DIFF_FORMATS)[number];
  /** Of `restore`: only what this tool has to do. */
  readonly section?: RestoreSection | undefined;
  /** `namespace/name` or `namespace/name:port`; none: everything. */
  readonly services: readonly string[];
  /** Colour is welcome. */
  readonly colour: boolean;
}

/**
 * Compares and prints; the answer is the exit code: 0 nothing to do, 1 there is something, 2 some input could not be
 * used. Rejects with InputError, KernelError or RuleSyntaxError.
 */
export async function diffPaths(given: InputFlags, flags: DiffFlags, output: Output): Promise<0 | 1 | 2> {
  checkFlags(flags);
  checkSupported(given.options, ["iptables", "ipvs"]);
  const backend = await openBackend(given.options);
  const side = await openSide(flags.against, { input: given, backend, output });
  const inputs = await openInputs(side.input, backend);
  reportInputs(inputs, given, { output, isApplied: flags.format === "restore" });
  const found = await compareSides(inputs, side, { backend, progress: output.progress });
  const shown = selected(found, flags.services);
  await output.data(printFound(shown, flags));
  if (!SHOWS_KEPT.has(flags.format)) for (const each of shown.kept) output.note(`note: ${printKept(each)}`);
  if (shown.differences.length === 0) output.note("note: nothing to do");
  if (!side.complete || inputs.problems.length > 0) return 2;
  return shown.differences.length > 0 ? 1 : 0;
}

const SHOWS_KEPT: ReadonlySet<string> = new Set(["text", "json"]);

function checkFlags({ format, section, services }: DiffFlags): void {
  if (section !== undefined && format !== "restore") throw wrongUsage("--section goes with -o restore only");
  if (services.length > 0 && format === "restore") throw wrongUsage("--service does not go with -o restore");
}

/** All families together. */
interface Found {
  readonly differences: readonly Difference[];
  readonly kept: readonly Kept[];
  /** Worked out when asked for. */
  readonly plans: () => readonly Plan[];
}

interface Means {
  readonly backend: Backend;
  readonly progress: Progress;
}

async function compareSides(inputs: Inputs, side: Side, { backend, progress }: Means): Promise<Found> {
  const { jumps } = backend;
  const pairs: { readonly wanted: KernelState; readonly actual: KernelState }[] = [];
  for (const family of FAMILIES) {
    const wanted = inputs.wanted(family);
    const actual = wanted && (await side.actual(wanted));
    if (wanted && actual) pairs.push({ wanted: countedState(wanted, progress), actual });
  }
  const all = pairs.map(({ wanted, actual }) => ({ family: wanted.family, ...compare(wanted, actual, jumps) }));
  return {
    differences: all.flatMap(({ differences }) => differences),
    kept: all.flatMap(({ family, kept }) => kept.map((each) => ({ family, ...each }))),
    plans: () =>
      pairs.map(({ wanted, actual }) => {
        const { steps, kept } = diff(wanted, actual, { jumps, variant: variantOf(side.input.facts, wanted.family) });
        return { steps: [...steps, ...leavingSteps(wanted, actual)], kept };
      }),
  };
}

function selected(found: Found, services: readonly string[]): Found {
  if (services.length === 0) return found;
  const isAsked = (owner: string) => services.some((service) => belongsTo(owner, service));
  return { ...found, kept: [], differences: selectDifferences(found.differences, isAsked) };
}

function printFound({ differences, kept, plans }: Found, { format, section, colour }: DiffFlags): Iterable<string> {
  switch (format) {
    case "text":
      return paintLines(printText(differences, kept), colour);
    case "unified":
      return paintLines(printUnified(differences), colour);
    case "json":
      return printData(differenceData(differences, kept), "json");
    case "restore":
      return section === undefined ? printRestore(plans()) : printRestoreOf(plans(), section);
  }
}
