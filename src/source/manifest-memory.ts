// Remembers the manifest files that were read, and tells what is new in them.
import { resolve, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { identify, KINDS, printObject } from "../api/object-name.ts";
import type { KubernetesObject } from "../api/objects.ts";
import type { PassedOver, Reading } from "../api/reading.ts";
import { InputError } from "../errors.ts";
import { inOrder, type Scan } from "./manifest-files.ts";
import { type FileReading, mergeFiles, readManifest } from "./manifests.ts";
import type { Batch, Change } from "./source.ts";

interface KnownFile extends FileReading {
  readonly stamp: string;
}

/** Remembers each file and what was told of it, so that a fault in a file takes away nothing that worked before. */
export class ManifestMemory {
  #files: ReadonlyMap<string, KnownFile> = new Map();
  #merged: Reading<KubernetesObject> = { objects: [], problems: [], passedOver: [] };
  #told: ReadonlyMap<string, KubernetesObject> | undefined;
  #complaints: ReadonlySet<string> = new Set();

  /** Paths, files and documents that could not be read when they were last looked at. */
  unreadable: readonly InputError[] = [];

  /** How many objects there are. */
  get size(): number {
    return this.#merged.objects.length;
  }

  /** Reads the files that changed; answers what is new. The first answer completes all kinds. */
  async update(scan: Scan): Promise<Batch> {
    const files = await this.#readChanged(scan);
    const same = this.#told && sameFiles(files, this.#files);
    this.#files = files;
    if (!same) this.#merged = mergeFiles(inOrder(scan.paths, [...files.values()]));
    const { objects, problems, passedOver } = this.#merged;
    this.unreadable = [...scan.problems, ...problems.filter(isOfText)];
    const complaints = this.#complain([...scan.problems, ...problems], passedOver);
    return { changes: same ? [] : this.#tell(objects), ...complaints };
  }

  async #readChanged(scan: Scan): Promise<ReadonlyMap<string, KnownFile>> {
    const files = new Map(this.#findHidden(scan.unreadable).map((file) => [file.path, file]));
    for (const { path, stamp } of scan.files) {
      const known = this.#files.get(path);
      if (known?.wasRead && known.stamp === stamp) files.set(path, known);
      else files.set(path, await this.#readAgain(path, stamp));
    }
    return files;
  }

  async #readAgain(path: string, stamp: string): Promise<KnownFile> {
    const now = await readManifest(path);
    return { ...now, stamp, reading: keepGood(this.#files.get(path)?.reading, now.reading) };
  }

  // What cannot be looked at may well be there still, and a path that was given is not taken away on purpose.
  #findHidden(unreadable: readonly string[]): readonly KnownFile[] {
    const roots = unreadable.map((path) => resolve(path));
    return [...this.#files.values()].filter(({ path }) => {
      const whole = resolve(path);
      return roots.some((root) => whole === root || whole.startsWith(root.endsWith(sep) ? root : root + sep));
    });
  }

  #tell(objects: readonly KubernetesObject[]): readonly Change[] {
    const before = this.#told;
    const now = new Map(objects.map((object) => [printObject(object), object]));
    this.#told = now;
    const gone = [...(before ?? [])].filter(([name]) => !now.has(name));
    const fresh = [...now].filter(([name, object]) => !isSame(before?.get(name), object));
    return [
      ...gone.map(([, object]): Change => ({ type: "delete", identity: identify(object) })),
      ...fresh.map(([, object]): Change => ({ type: "set", object })),
      ...(before ? [] : KINDS).map((kind): Change => ({ type: "complete", kind })),
    ];
  }

  #complain(problems: readonly InputError[], passedOver: readonly PassedOver[]): Complaints {
    const before = this.#complaints;
    this.#complaints = new Set([...problems.map(({ message }) => message), ...passedOver.map(printNote)]);
    return {
      problems: problems.filter(({ message }) => !before.has(message)),
      passedOver: passedOver.filter((note) => !before.has(printNote(note))),
    };
  }
}

/** Of a file or document that could not be read or parsed, in contrast to what is wrong with an object in it. */
function isOfText({ place }: InputError): boolean {
  return place.object === undefined && place.field === undefined;
}

function sameFiles(a: ReadonlyMap<string, KnownFile>, b: ReadonlyMap<string, KnownFile>): boolean {
  return a.size === b.size && [...a].every(([path, file]) => b.get(path) === file);
}

type Complaints = Pick<Batch, "problems" | "passedOver">;

/**
 * The new reading, and what was good before of objects that are now refused. A problem that names no object may hide
 * any, so nothing of the file goes then.
 */
function keepGood(
  before: Reading<KubernetesObject> | undefined,
  now: Reading<KubernetesObject>,
): Reading<KubernetesObject> {
  const readable = new Set(now.objects.map(printObject));
  const blamed = new Set(now.problems.map(({ place }) => place.object));
  const kept = (before?.objects ?? []).filter((object) => {
    const name = printObject(object);
    return !readable.has(name) && (blamed.has(name) || blamed.has(undefined));
  });
  return { ...now, objects: [...kept, ...now.objects] };
}

// Most objects come from files that nobody touched, and are the very same.
function isSame(before: KubernetesObject | undefined, now: KubernetesObject): boolean {
  return before === now || isDeepStrictEqual(before, now);
}

function printNote({ place, reason }: PassedOver): string {
  return new InputError(place, reason).message;
}
