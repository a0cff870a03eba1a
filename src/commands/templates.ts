// Where do the rule templates lie?
import { readdir, readFile } from "node:fs/promises";
import type { Backend } from "../backends/backend.ts";
import type { TemplateTexts } from "../backends/template.ts";

/** Beside the folder that this program was built into, and beside the sources alike. */
const FOLDER = new URL("../../rules-templates/", import.meta.url);

/** The template texts of a mode, by table and chain (`nat/KUBE-SEP`). Rejects when they cannot be read. */
export async function readTemplates(mode: Backend["mode"]): Promise<TemplateTexts> {
  const texts = new Map<string, string>();
  const folder = new URL(`${mode}/`, FOLDER);
  for (const table of await readdir(folder)) {
    for (const file of await readdir(new URL(`${table}/`, folder))) {
      const text = await readFile(new URL(`${table}/${file}`, folder), "utf8");
      texts.set(`${table}/${file.replace(/\.rules$/, "")}`, text);
    }
  }
  return texts;
}
