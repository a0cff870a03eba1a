// Is every rule of the templates in use, and seen in some golden file?
import t from "tap";
import { readTemplate } from "../src/backends/template.ts";
import { FAMILIES } from "../src/net/family.ts";
import type { KernelState, Rule } from "../src/state/kernel-state.ts";
import { TABLES } from "../src/state/kernel-state.ts";
import { wholeTable } from "../src/state/whole-tables.ts";
import {
  BACKEND,
  INDEXED_BACKEND,
  INDEXED_TEMPLATES,
  IPVS_BACKEND,
  IPVS_TEMPLATES,
  TEMPLATES,
} from "./support/templates.ts";
import { wantedClusters } from "./support/wanted.ts";

/** Those that stand behind the templates of Compat. */
const OWN_INDEXED = new Map(
  [...INDEXED_TEMPLATES]
    .map(([name, text]) => [name, text.slice(TEMPLATES.get(name)?.length ?? 0)] as const)
    .filter(([, text]) => text !== ""),
);

const LAYOUTS = [
  { mode: "iptables", backend: BACKEND, templates: TEMPLATES, least: 40 },
  { mode: "iptables, Indexed", backend: INDEXED_BACKEND, templates: OWN_INDEXED, least: 40 },
  { mode: "ipvs", backend: IPVS_BACKEND, templates: IPVS_TEMPLATES, least: 45 },
] as const;

for (const { mode, backend, templates, least } of LAYOUTS) {
  const used = new Set<string>();
  for (const { wanted } of await wantedClusters(backend)) {
    for (const family of FAMILIES) for (const rule of rulesOf(wanted(family))) used.add(nameOf(rule));
  }

  for (const [name, text] of templates) {
    t.test(`${mode}: ${name}`, async (t) => {
      const template = readTemplate(name, text);
      t.ok(text.startsWith(`# ${name}`), "says on top which chain it is");
      for (const heading of template.headings) t.ok(used.has(`${name} ${heading}`), `${heading} is in a golden file`);
    });
  }

  t.test(`${mode}: a rule tells its heading in the template it came from`, async (t) => {
    t.ok(used.size > least);
    const known = backend === INDEXED_BACKEND ? INDEXED_TEMPLATES : templates;
    for (const name of used) t.ok(known.has(name.split(" ")[0] ?? ""), name);
  });
}

function rulesOf(state: KernelState): readonly Rule[] {
  return TABLES.flatMap((table) => [...wholeTable(state, table).values()].flatMap(({ rules }) => rules));
}

function nameOf({ origin }: Rule): string {
  return `${origin?.template} ${origin?.heading}`;
}
