// When did something happen in one of these directories?
import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { readCode } from "./file-failure.ts";

/** Milliseconds. */
export interface Patience {
  /** So long nothing must happen before a change counts as finished. */
  readonly quiet: number;
  /** After so long without news it is worth a look anyway: some file systems tell nothing. */
  readonly poll: number;
}

/** A directory that never gets quiet is looked at after this many times `quiet`. */
const MOST_QUIETS = 20;

interface Watched {
  readonly watcher: FSWatcher;
  /** Tells a directory from another one that took its name. */
  readonly inode: string;
}

/** Listens to directories. Missing news is made good by polling, so no failure to listen is an error. */
export class DirectoryWatch {
  readonly #watched = new Map<string, Watched>();
  #happened = false;
  #wake = () => {};

  /** Listens to exactly these directories from now on. */
  async follow(directories: readonly string[]): Promise<void> {
    const wanted = new Set(directories);
    for (const path of this.#watched.keys()) if (!wanted.has(path)) this.#forget(path);
    for (const path of wanted) await this.#listen(path);
  }

  /** Returns when something happened and is over, when it is time to look anyway, or when the signal is aborted. */
  async settle({ quiet, poll }: Patience, signal: AbortSignal): Promise<void> {
    await this.#pause(poll, signal);
    for (let left = MOST_QUIETS; this.#happened && left > 0; left--) {
      this.#happened = false;
      await this.#pause(quiet, signal);
    }
  }

  close(): void {
    for (const path of this.#watched.keys()) this.#forget(path);
  }

  async #listen(path: string): Promise<void> {
    try {
      const { dev, ino } = await stat(path, { bigint: true });
      const inode = `${dev} ${ino}`;
      if (this.#watched.get(path)?.inode === inode) return;
      this.#forget(path);
      const watcher = watch(path, () => this.#ring());
      watcher.on("error", () => this.#ring());
      this.#watched.set(path, { watcher, inode });
      // What happened between the look at the files and this moment was not heard.
      this.#ring();
    } catch (error) {
      readCode(error);
      this.#forget(path);
    }
  }

  #forget(path: string): void {
    this.#watched.get(path)?.watcher.close();
    this.#watched.delete(path);
  }

  #ring(): void {
    this.#happened = true;
    this.#wake();
  }

  #pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (this.#happened || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        this.#wake = () => {};
        resolve();
      };
      const timer = setTimeout(stop, milliseconds);
      signal.addEventListener("abort", stop);
      this.#wake = stop;
    });
  }
}
