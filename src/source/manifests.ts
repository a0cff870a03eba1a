// Which objects do the given files, directories and standard input hold?
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { printObject } from "../api/object-name.ts";
import type { KubernetesObject } from "../api/objects.ts";
import { joinReadings, type PassedOver, type Reading, refuse } from "../api/reading.ts";
import { InputError } from "../errors.ts";
import { failureWords } from "./file-failure.ts";
import { scanPaths } from "./manifest-files.ts";
import { readText, type TellShare } from "./manifest-text.ts";

export const STANDARD_INPUT = "-";

/** What one file said. */
export interface FileReading {
  readonly path: string;
  readonly reading: Reading<KubernetesObject>;
  /** False when the system did not let us read: it may the next time, without a change of the file. */
  readonly wasRead: boolean;
}

export interface ManifestMeans {
  readonly stdin?: NodeJS.ReadableStream;
  /** Takes which part of a file was read, from 0 to 1. */
  readonly tell?: (path: string, share: number) => void;
}

/** Reads all paths once; `-` is standard input. Throws nothing for bad input: every fault is among the problems. */
export async function readManifests(
  paths: readonly string[],
  { stdin = process.stdin, tell = () => {} }: ManifestMeans = {},
): Promise<Reading<KubernetesObject>> {
  const scan = await scanPaths(paths.filter((path) => path !== STANDARD_INPUT));
  const files: FileReading[] = [];
  // One after the other: a process may only have so many files open.
  for (const { path } of scan.files) files.push(await readManifest(path, (share) => tell(path, share)));
  if (paths.includes(STANDARD_INPUT)) files.push(await readStream(stdin, (share) => tell(STANDARD_INPUT, share)));
  return joinReadings([refuse(...scan.problems), mergeFiles(files)]);
}

/** Reads one file. */
export async function readManifest(path: string, tell?: TellShare): Promise<FileReading> {
  try {
    return { path, wasRead: true, reading: readText(await readFile(path, "utf8"), path, tell) };
  } catch (error) {
    const problem = new InputError({ source: path }, `cannot be read: ${failureWords(error)}`);
    return { path, wasRead: false, reading: refuse(problem) };
  }
}

async function readStream(stdin: NodeJS.ReadableStream, tell: TellShare): Promise<FileReading> {
  return { path: STANDARD_INPUT, wasRead: true, reading: readText(await text(stdin), STANDARD_INPUT, tell) };
}

/** One reading of all files, in their order. Of an object that is there twice the later one counts. */
export function mergeFiles(files: readonly FileReading[]): Reading<KubernetesObject> {
  const newest = new Map<string, { readonly path: string; readonly object: KubernetesObject }>();
  const twice: PassedOver[] = [];
  for (const { path, reading } of files) {
    for (const object of reading.objects) {
      const name = printObject(object);
      const earlier = newest.get(name);
      if (earlier)
        twice.push({ place: { source: earlier.path, object: name }, reason: `again in ${path}, which counts` });
      newest.set(name, { path, object });
    }
  }
  const all = joinReadings(files.map(({ reading }) => reading));
  return {
    ...all,
    objects: [...newest.values()].map(({ object }) => object),
    passedOver: [...all.passedOver, ...twice],
  };
}
