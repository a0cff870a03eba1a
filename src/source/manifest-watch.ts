// How do manifest files become a source that follows their changes?
import { InputError } from "../errors.ts";
import { DirectoryWatch, type Patience } from "./directory-watch.ts";
import { scanPaths } from "./manifest-files.ts";
import { ManifestMemory } from "./manifest-memory.ts";
import type { Batch } from "./source.ts";
import { STANDARD_INPUT } from "./written-objects.ts";

const PATIENCE: Patience = { quiet: 100, poll: 5000 };

/**
 * Watches files and directories until the signal is aborted. The first batch is the whole, later ones come only with
 * news. A file that is half written, unreadable or wrong keeps what it last said; one that is gone takes its objects
 * with it. Throws InputError for standard input, which cannot be watched.
 */
export async function* watchManifests(
  paths: readonly string[],
  signal: AbortSignal,
  patience: Patience = PATIENCE,
): AsyncGenerator<Batch, void, undefined> {
  if (paths.includes(STANDARD_INPUT))
    throw new InputError({ source: STANDARD_INPUT }, "standard input cannot be watched");
  const memory = new ManifestMemory();
  const watch = new DirectoryWatch();
  try {
    while (!signal.aborted) {
      const scan = await scanPaths(paths);
      await watch.follow(scan.directories);
      const batch = await memory.update(scan);
      if (hasNews(batch)) yield batch;
      await watch.settle(patience, signal);
    }
  } finally {
    watch.close();
  }
}

function hasNews({ changes, problems, passedOver }: Batch): boolean {
  return changes.length > 0 || problems.length > 0 || passedOver.length > 0;
}
