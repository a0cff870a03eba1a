// Reads a file of node facts.
import { readFile } from "node:fs/promises";
import { InputError } from "../errors.ts";
import { readConfigText } from "../options/config-file.ts";
import { decodeNodeFacts, type GivenFacts } from "../options/node-facts.ts";
import { rewording } from "../options/value-type.ts";
import { failureWords } from "../source/file-failure.ts";

/** Reads YAML or JSON. Rejects with InputError that names file and field. */
export async function readFactsFile(path: string): Promise<GivenFacts> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new InputError({ source: path }, `cannot be read: ${failureWords(error)}`);
  });
  const { value } = rewording(
    () => readConfigText(text),
    (reason) => `${path}: ${reason}`,
  );
  return decodeNodeFacts(value, { source: path });
}
