// How does a mode get at the rules of its templates?
import type { Chain, Rule, TableName } from "../state/kernel-state.ts";
import { readTemplate, type Template, type TemplateTexts } from "./template.ts";
import type { Words } from "./words.ts";

/** Fills the rule under a heading of a template such as `nat/KUBE-SEP`. */
export type FillFrom = (template: string, heading: string, words?: Words) => Rule;

/** Templates by name. */
export type Templates = ReadonlyMap<string, Template>;

/** Reads the templates of a mode. Throws RuleSyntaxError for one that cannot be read. */
export function readTemplates(texts: TemplateTexts): Templates {
  return new Map([...texts].map(([name, text]) => [name, readTemplate(name, text)]));
}

/** Looks templates up by name. What it gives throws a RangeError where there is no such template. */
export function fillFrom(templates: Templates): FillFrom {
  return (name, heading, words) => templateOf(templates, name).fill(heading, words);
}

/** Built-in chains of a table with all jumps of their templates. Throws a RangeError where a template is missing. */
export function builtInChains(templates: Templates, table: TableName, names: readonly string[]): readonly Chain[] {
  return names.map((name) => {
    const { fill, headings } = templateOf(templates, `${table}/${name}`);
    return { name, hold: "built-in", rules: headings.map((heading) => fill(heading)) };
  });
}

function templateOf(templates: Templates, name: string): Template {
  const template = templates.get(name);
  if (!template) throw new RangeError(`template ${name} is missing`);
  return template;
}
