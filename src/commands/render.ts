// What would be in the kernel?
import type { Backend } from "../backends/backend.ts";
import { iptablesBackend } from "../backends/iptables/backend.ts";
import { ipvsBackend } from "../backends/ipvs/backend.ts";
import { FAMILIES } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import { selectFragments } from "../state/selection.ts";
import { checkSupported } from "./configuration.ts";
import { type InputFlags, type Inputs, openInputs, reportInputs } from "./inputs.ts";
import type { Output } from "./output.ts";
import { printSection, printSections, type SectionName } from "./sections.ts";
import { readTemplates } from "./templates.ts";

export interface RenderFlags {
  readonly section?: SectionName | undefined;
  readonly explain: boolean;
  /** `namespace/name` or `namespace/name:port`; none: everything. */
  readonly services: readonly string[];
}

/** Reads the inputs and prints; the answer is whether all of the input could be used. Rejects with InputError. */
export async function renderPaths(input: InputFlags, flags: RenderFlags, output: Output): Promise<boolean> {
  checkSupported(input.options, ["iptables", "ipvs"]);
  const inputs = await openInputs(input, await backendOf(input.options));
  reportInputs(inputs, input.verbose, output);
  await render(inputs, flags, output);
  return inputs.problems.length === 0;
}

async function backendOf({ mode }: Options): Promise<Backend> {
  return mode === "ipvs" ? ipvsBackend(await readTemplates("ipvs")) : iptablesBackend(await readTemplates("iptables"));
}

/** Prints what this node's kernel would hold for the inputs. */
async function render(inputs: Inputs, flags: RenderFlags, output: Output): Promise<void> {
  const states = FAMILIES.flatMap((family) => inputs.wanted(family) ?? []).map((state) =>
    flags.services.length === 0
      ? state
      : selectFragments(state, ({ key }) => flags.services.some((service) => belongsTo(key, service))),
  );
  const { section, explain } = flags;
  if (section === undefined) return output.data(printSections(states, explain));
  await output.data(printSection(states, section, explain));
}

/** Is this key (`shop/cart:http/TCP`) of the Service, or of the one port of it, that is asked for? */
function belongsTo(key: string, service: string): boolean {
  const port = key.slice(0, key.lastIndexOf("/"));
  return port === service || port.startsWith(`${service}:`);
}
