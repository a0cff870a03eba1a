// Which objects do manifests hold, each as it was written, and where?
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { InputError } from "../errors.ts";
import { failureWords } from "./file-failure.ts";
import { scanPaths } from "./manifest-files.ts";
import { broken, type TellShare, type WrittenObject, writtenObjectsOf } from "./manifest-text.ts";
import { type ManifestMeans, STANDARD_INPUT } from "./manifests.ts";

/**
 * The objects of all paths, in order, one after the other, so that no more than one need be kept; `-` is standard
 * input. Throws nothing for bad input: every fault is among the problems of a reading.
 */
export async function* readWrittenObjects(
  paths: readonly string[],
  { stdin = process.stdin, tell = () => {} }: ManifestMeans = {},
): AsyncGenerator<WrittenObject> {
  const scan = await scanPaths(paths.filter((path) => path !== STANDARD_INPUT));
  for (const problem of scan.problems) yield broken(problem.place, problem);
  for (const { path } of scan.files) yield* readWrittenFile(path, (share) => tell(path, share));
  if (!paths.includes(STANDARD_INPUT)) return;
  yield* writtenObjectsOf(await text(stdin), STANDARD_INPUT, (share) => tell(STANDARD_INPUT, share));
}

async function* readWrittenFile(path: string, tell: TellShare): AsyncGenerator<WrittenObject> {
  const place = { source: path };
  const content = await readFile(path, "utf8").catch((error: unknown) => {
    return new InputError(place, `cannot be read: ${failureWords(error)}`);
  });
  if (typeof content === "string") yield* writtenObjectsOf(content, path, tell);
  else yield broken(place, content);
}
