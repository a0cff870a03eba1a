// Follows manifest files and directories as a source of objects.
import { InputError } from "../errors.ts";
import { DirectoryWatch, type Patience } from "./directory-watch.ts";
import { scanPaths } from "./manifest-files.ts";
import { ManifestMemory } from "./manifest-memory.ts";
import type { Batch } from "./source.ts";
import { STANDARD_INPUT } from "./written-objects.ts";

const PATIENCE: Patience = { quiet: 100, poll: 5000 };

/** Problems that the error at start names. */
const MOST_PROBLEMS = 5;

/**
 * Watches files and directories until the signal is aborted. The first batch is the whole, later ones come only with
 * news. A file that is half written, unreadable or wrong keeps what it last said, and so does a given path that is gone;
 * a file that is gone from a directory takes its objects with it. `sawUnreadable` receives after each look which paths,
 * files and documents cannot be read. Throws InputError for standard input, which cannot be watched; at the start for a
 * path that cannot be read, and where nothing but problems was found: rules in the kernel shall outlive a typing error.
 */
export async function* watchManifests(
  paths: readonly string[],
  signal: AbortSignal,
  sawUnreadable: (unreadable: readonly InputError[]) => void,
  patience: Patience = PATIENCE,
): AsyncGenerator<Batch, void, undefined> {
  if (paths.includes(STANDARD_INPUT))
    throw new InputError({ source: STANDARD_INPUT }, "standard input cannot be watched");
  const memory = new ManifestMemory();
  const watch = new DirectoryWatch();
  try {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const scan = await scanPaths(paths);
      if (isFirst) refuseAny(scan.problems);
      await watch.follow(scan.directories);
      const batch = await memory.update(scan);
      if (isFirst && memory.size === 0) refuseAny(batch.problems);
      sawUnreadable(memory.unreadable);
      if (isFirst || hasNews(batch)) yield batch;
      await watch.settle(patience, signal);
    }
  } finally {
    watch.close();
  }
}

function refuseAny(problems: readonly InputError[]): void {
  if (problems.length === 0) return;
  const left = problems.length - MOST_PROBLEMS;
  const told = problems.slice(0, MOST_PROBLEMS).map(({ message }) => message);
  throw new InputError({ source: "--manifests" }, [...told, ...(left > 0 ? [`${left} more problems`] : [])].join("; "));
}

function hasNews({ changes, problems, passedOver }: Batch): boolean {
  return changes.length > 0 || problems.length > 0 || passedOver.length > 0;
}
