// `fairlead render`: prints what would be in the kernel.
import { drawChains } from "../draw/chains.ts";
import { PICTURE_FORMATS } from "../draw/picture.ts";
import { FAMILIES } from "../net/family.ts";
import type { KernelState } from "../state/kernel-state.ts";
import { selectFragments } from "../state/selection.ts";
import { belongsTo } from "../state/service-choice.ts";
import { openBackend } from "./backend.ts";
import { checkSupported } from "./configuration.ts";
import { DATA_FORMATS, printData } from "./data-text.ts";
import { EXIT, type ExitCode, wrongUsage } from "./failure.ts";
import { knownServices, printCount, requireKnown } from "./input-objects.ts";
import { type InputFlags, type Inputs, openInputs, reportInputs } from "./inputs.ts";
import type { Output } from "./output.ts";
import { renderData } from "./render-data.ts";
import { printSection, printSections, type SectionName } from "./sections.ts";

export const RENDER_FORMATS = ["text", ...DATA_FORMATS, ...PICTURE_FORMATS] as const;

export interface RenderFlags {
  readonly format: (typeof RENDER_FORMATS)[number];
  readonly section?: SectionName | undefined;
  readonly explain: boolean;
  /** `namespace/name` or `namespace/name:port`; none: everything. */
  readonly services: readonly string[];
}

/**
 * Reads the inputs and prints; `unusable` where some input could not be read. A single section is fit to be applied: then
 * nothing is printed unless all input could be read. Rejects with InputError.
 */
export async function renderPaths(input: InputFlags, flags: RenderFlags, output: Output): Promise<ExitCode> {
  checkFlags(flags);
  checkSupported(input.options, ["iptables", "ipvs"]);
  const inputs = await openInputs(input, await openBackend(input.options));
  reportInputs(inputs, input, { output, isApplied: flags.section !== undefined });
  const known = knownServices(inputs.objects);
  requireKnown(flags.services, known);
  const states = statesOf(inputs, flags);
  const counts = { lines: 0, chains: 0 };
  await output.data(counted(printStates(states, flags), counts));
  const services = flags.services.length === 0 ? known.size : new Set(flags.services.map(nameOf)).size;
  const looked = [printCount(services, "Service"), states.length === 1 ? "1 family" : `${states.length} families`];
  if (flags.format === "text") looked.push(printCount(counts.chains, "chain"));
  if (counts.lines === 0) output.note(`note: nothing to print${flags.section ? ` in section ${flags.section}` : ""}`);
  output.note(`note: rendered ${looked.join(", ")}`);
  return inputs.problems.length === 0 ? EXIT.fine : EXIT.unusable;
}

/** The same lines, counted as they are taken. */
function* counted(lines: Iterable<string>, counts: { lines: number; chains: number }): Iterable<string> {
  for (const line of lines) {
    counts.lines++;
    if (line.startsWith(":KUBE-")) counts.chains++;
    yield line;
  }
}

/** `shop/cart` of `shop/cart:http`. */
function nameOf(service: string): string {
  return service.replace(/:.*$/, "");
}

function checkFlags({ format, section, explain }: RenderFlags): void {
  if (format === "text") return;
  if (section !== undefined) throw wrongUsage("--section goes with -o text only");
  if (explain) throw wrongUsage("--explain goes with -o text only");
}

/** What this node's kernel would hold for the inputs. */
function statesOf(inputs: Inputs, { services, format }: RenderFlags): readonly KernelState[] {
  const states = FAMILIES.flatMap((family) => inputs.wanted(family) ?? []);
  // A picture shows what leads to a Service, which is no part of it.
  if (services.length === 0 || isPicture(format)) return states;
  const isAsked = (key: string) => services.some((service) => belongsTo(key.slice(0, key.lastIndexOf("/")), service));
  return states.map((state) => selectFragments(state, ({ key }) => isAsked(key)));
}

function printStates(states: readonly KernelState[], flags: RenderFlags): Iterable<string> {
  const { format, section, explain, services } = flags;
  if (format === "json" || format === "yaml") return printData(renderData(states), format);
  if (format !== "text") return drawChains(states, services, format);
  return section === undefined ? printSections(states, explain) : printSection(states, section, explain);
}

function isPicture(format: RenderFlags["format"]): boolean {
  return PICTURE_FORMATS.some((picture) => picture === format);
}
