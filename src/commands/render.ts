// What would be in the kernel?
import { FAMILIES } from "../net/family.ts";
import { selectFragments } from "../state/selection.ts";
import type { Inputs } from "./inputs.ts";
import type { Output } from "./output.ts";
import { printSection, printSections, type SectionName } from "./sections.ts";

export interface RenderFlags {
  readonly section?: SectionName;
  readonly explain: boolean;
  /** `namespace/name` or `namespace/name:port`; none: everything. */
  readonly services: readonly string[];
}

/** Prints what this node's kernel would hold for the inputs. */
export async function render(inputs: Inputs, flags: RenderFlags, output: Output): Promise<void> {
  const states = FAMILIES.flatMap((family) => inputs.wanted(family) ?? []).map((state) =>
    flags.services.length === 0
      ? state
      : selectFragments(state, ({ key }) => flags.services.some((service) => belongsTo(key, service))),
  );
  const { section, explain } = flags;
  if (section === undefined) return output.data(printSections(states, explain));
  for (const state of states) await output.data(printSection(state, section, explain));
}

/** Is this key (`shop/cart:http/TCP`) of the Service, or of the one port of it, that is asked for? */
function belongsTo(key: string, service: string): boolean {
  const port = key.slice(0, key.lastIndexOf("/"));
  return port === service || port.startsWith(`${service}:`);
}
