// Reads the manifests that are to be linted, with the place of each object.
import { isDeepStrictEqual } from "node:util";
import { printObject } from "../api/object-name.ts";
import type { KubernetesObject } from "../api/objects.ts";
import type { PassedOver } from "../api/reading.ts";
import { readServiceManifest, type ServiceManifest } from "../api/service-manifest.ts";
import { readSliceManifest, type SliceManifest } from "../api/slice-manifest.ts";
import type { InputError, Place } from "../errors.ts";
import type { Finding } from "../lint/finding.ts";
import { doubleObject, leftOutEntry, unreadable } from "../lint/reading-findings.ts";
import type { WrittenObject } from "../source/manifest-text.ts";
import { duplicateOf } from "../source/manifests.ts";
import { readWrittenObjects } from "../source/written-objects.ts";
import type { WrittenPart } from "../source/written-text.ts";
import { printCount } from "./input-objects.ts";
import type { LiveCluster } from "./live-cluster.ts";

/** Where an object stands. */
export interface Written {
  readonly place: Place;
  readonly part: WrittenPart | undefined;
}

/** A finding, and the object that it is about. */
export interface PlacedFinding extends Finding {
  readonly written: Written;
}

/** Everything that was read. */
export class LintObjects {
  /** By `printObject`; of an object that stands twice, the later one. */
  readonly objects = new Map<string, KubernetesObject>();
  readonly written = new Map<string, Written>();
  /** By `printObject`. */
  readonly manifests = new Map<string, ServiceManifest>();
  /** By `namespace/name`. */
  readonly slices = new Map<string, SliceManifest>();
  /** Objects that are there and could not be read, by `printObject`. */
  readonly unread = new Set<string>();
  readonly findings: PlacedFinding[] = [];
  /** What a reader should know of how they were read. */
  readonly notes: string[] = [];
  /** What was skipped, and earlier definitions of objects that are defined again. */
  readonly passedOver: PassedOver[] = [];
  /** What was read, for messages: `2 files`, `the cluster`. */
  source = "";
  /** By `printObject`, all that was read of the object. */
  readonly #meanings = new Map<string, readonly unknown[]>();

  add({ place, raw, part, reading }: WrittenObject): void {
    const { objects, problems, passedOver } = reading;
    this.passedOver.push(...passedOver);
    const [object] = objects;
    for (const problem of problems) this.#complain(problem, { place, part }, object !== undefined);
    const slice = readSliceManifest(raw);
    const service = object?.kind === "Service" ? readServiceManifest(raw) : undefined;
    if (object) this.#addObject(object, [object, service, slice], { place, part });
    if (object && service) this.manifests.set(printObject(object), service);
    if (slice) this.#addSlice(slice, { place, part });
  }

  #complain(problem: InputError, written: Written, isUsed: boolean): void {
    const finding = isUsed ? leftOutEntry(problem) : unreadable(problem);
    this.findings.push({ ...finding, written });
    if (!isUsed) this.unread.add(finding.object);
  }

  // One that is passed over has its findings too.
  #addSlice(slice: SliceManifest, written: Written): void {
    this.slices.set(`${slice.namespace}/${slice.name}`, slice);
    this.written.set(`EndpointSlice ${slice.namespace}/${slice.name}`, written);
  }

  // Of two that say the same it does not matter which one counts.
  #addObject(object: KubernetesObject, meaning: readonly unknown[], written: Written): void {
    const name = printObject(object);
    const earlier = this.objects.has(name) ? this.written.get(name) : undefined;
    if (earlier) this.passedOver.push(duplicateOf({ ...earlier.place, object: name }, written.place));
    if (earlier && !isDeepStrictEqual(this.#meanings.get(name), meaning))
      this.findings.push({ ...doubleObject(name, printPlace(written.place)), written: earlier });
    this.objects.set(name, object);
    this.#meanings.set(name, meaning);
    this.written.set(name, written);
  }
}

/** The objects of all paths; `tell` takes which part of a file was read. */
export async function readLintObjects(
  paths: readonly string[],
  tell?: (path: string, share: number) => void,
): Promise<LintObjects> {
  const objects = new LintObjects();
  const read = await readWrittenObjects(paths, tell && { tell });
  objects.source = printCount(read.files, "file");
  for await (const written of read.objects) objects.add(written);
  return objects;
}

/** The objects of a live cluster. Rejects with InputError where it cannot be read. */
export async function readLiveObjects(cluster: LiveCluster): Promise<LintObjects> {
  const objects = new LintObjects();
  const { written, notes } = await cluster.written();
  for (const each of written) objects.add(each);
  objects.notes.push(...notes);
  objects.source = "the cluster";
  return objects;
}

function printPlace({ source = "", document = 1 }: Place): string {
  return `${source}, document ${document}`;
}
