// Where do the rule templates lie?
import { readdir, readFile } from "node:fs/promises";
import type { Backend } from "../backends/backend.ts";
import type { TemplateTexts } from "../backends/template.ts";

/** Beside the folder that this program was built into, and beside the sources alike. */
const FOLDER = new URL("../../rules-templates/", import.meta.url);

/** What has a folder of its own. */
export type TemplateFolder = Backend["mode"] | "indexed";

/**
 * The template texts of a mode, by table and chain (`nat/KUBE-SEP`). Those of the Indexed layout stand behind the ones of
 * iptables mode. Rejects when they cannot be read.
 */
export async function readTemplates(name: TemplateFolder): Promise<TemplateTexts> {
  const texts = new Map(name === "indexed" ? await readTemplates("iptables") : []);
  const folder = new URL(`${name}/`, FOLDER);
  for (const table of await readdir(folder)) {
    for (const file of await readdir(new URL(`${table}/`, folder))) {
      const text = await readFile(new URL(`${table}/${file}`, folder), "utf8");
      const template = `${table}/${file.replace(/\.rules$/, "")}`;
      texts.set(template, (texts.get(template) ?? "") + text);
    }
  }
  return texts;
}
