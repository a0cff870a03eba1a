// Reads all objects of the given files, directories and standard input, each with its place and as it was written.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { InputError } from "../errors.ts";
import { failureWords } from "./file-failure.ts";
import { inOrder, scanPaths } from "./manifest-files.ts";
import { broken, type TellShare, type WrittenObject, writtenObjectsOf } from "./manifest-text.ts";

export const STANDARD_INPUT = "-";

export interface ManifestMeans {
  readonly stdin?: NodeJS.ReadableStream;
  /** Receives which part of a file was read, from 0 to 1. */
  readonly tell?: (path: string, share: number) => void;
}

/** The objects of all files. */
export interface WrittenObjects {
  /** How many files there are, standard input among them. */
  readonly files: number;
  /** In the order in which files count, one after the other, so that no more than one need be kept in memory. */
  readonly objects: AsyncIterable<WrittenObject>;
}

/** Reads all paths once; `-` is standard input. Throws nothing for bad input: every fault is a problem of a reading. */
export async function readWrittenObjects(
  paths: readonly string[],
  { stdin = process.stdin, tell = () => {} }: ManifestMeans = {},
): Promise<WrittenObjects> {
  const scan = await scanPaths(paths.filter((path) => path !== STANDARD_INPUT));
  const standardInput = paths.includes(STANDARD_INPUT) ? [{ path: STANDARD_INPUT }] : [];
  const files = inOrder(paths, [...scan.files, ...standardInput]);
  const objects = async function* () {
    for (const problem of scan.problems) yield broken(problem.place, problem);
    for (const { path } of files) yield* readWrittenFile(path, { stdin, tell: (share) => tell(path, share) });
  };
  return { files: files.length, objects: objects() };
}

/** How a file is read. */
interface FileMeans {
  readonly stdin: NodeJS.ReadableStream;
  readonly tell: TellShare;
}

async function* readWrittenFile(path: string, { stdin, tell }: FileMeans): AsyncGenerator<WrittenObject> {
  const place = { source: path };
  const reading = path === STANDARD_INPUT ? text(stdin) : readFile(path, "utf8");
  const content = await reading.catch((error: unknown) => {
    return new InputError(place, `cannot be read: ${failureWords(error)}`);
  });
  if (typeof content === "string") yield* writtenObjectsOf(content, path, tell);
  else yield broken(place, content);
}
