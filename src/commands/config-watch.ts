// When does a running daemon's configuration file say something else?
import { on } from "node:events";
import { type FSWatcher, watch } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { ConfigFile } from "./configuration.ts";
import { FatalError } from "./failure.ts";

/** What became of the file: written or moved away, as kube-proxy sees it; or replaced by another of its name. */
export type ConfigNews = "updated" | "replaced";

/**
 * Tells of the file that was read, symbolic links followed, until the signal is aborted. As in kube-proxy, what counts
 * is the file itself: `updated` when it is written or moved. A ConfigMap's new version and a rename over the file put
 * another in its place and remove this one; that is `replaced`, which kube-proxy does not notice, and no daemon should
 * end for it: all nodes would restart in the same minute, whatever the new text is. A touch is neither. Rejects with
 * FatalError when the file cannot be watched.
 */
export async function* watchConfig({ path, text }: ConfigFile, signal: AbortSignal): AsyncGenerator<ConfigNews> {
  let file: FileHandle | undefined;
  let watcher: FSWatcher | undefined;
  try {
    file = await open(path);
    // The inode behind the handle: the path may lead to another one by now.
    watcher = watch(`/proc/self/fd/${file.fd}`);
    const events = on(watcher, "change", { signal });
    for await (const [event] of fromNowOn(events)) {
      const news = await look(file, event, text);
      if (news) yield news;
      if (news === "replaced") return;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw new FatalError(`cannot watch the configuration file ${path}: ${String(error)}`);
  } finally {
    watcher?.close();
    await file?.close();
  }
}

/** With one in front: what happened between the reading and this moment was not heard. */
async function* fromNowOn(events: NodeJS.AsyncIterator<readonly string[]>): AsyncGenerator<readonly string[]> {
  yield ["change"];
  yield* events;
}

async function look(file: FileHandle, event: string | undefined, text: string): Promise<ConfigNews | undefined> {
  const { nlink, size } = await file.stat();
  // To Node a removal and a move are the same event.
  if (nlink === 0) return "replaced";
  if (event === "rename") return "updated";
  const now = Buffer.alloc(size);
  const { bytesRead } = await file.read(now, 0, size, 0);
  return now.toString("utf8", 0, bytesRead) === text ? undefined : "updated";
}
