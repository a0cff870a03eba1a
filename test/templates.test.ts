// Is every rule of the templates in use, and seen in some golden file?
import t from "tap";
import { readTemplate } from "../src/backends/template.ts";
import { FAMILIES } from "../src/net/family.ts";
import type { KernelState, Rule } from "../src/state/kernel-state.ts";
import { TABLES } from "../src/state/kernel-state.ts";
import { wholeTable } from "../src/state/whole-tables.ts";
import { IPVS_TEMPLATES, TEMPLATES } from "./support/templates.ts";
import { wantedClusters } from "./support/wanted.ts";

const MODES = [
  { mode: "iptables", templates: TEMPLATES, least: 40 },
  { mode: "ipvs", templates: IPVS_TEMPLATES, least: 45 },
] as const;

for (const { mode, templates, least } of MODES) {
  const used = new Set<string>();
  for (const { wanted } of await wantedClusters(mode)) {
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
    for (const name of used) t.ok(templates.has(name.split(" ")[0] ?? ""), name);
  });
}

function rulesOf(state: KernelState): readonly Rule[] {
  return TABLES.flatMap((table) => [...wholeTable(state, table).values()].flatMap(({ rules }) => rules));
}

function nameOf({ origin }: Rule): string {
  return `${origin?.template} ${origin?.heading}`;
}
