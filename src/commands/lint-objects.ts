// Reads the objects to lint, and keeps where each object stands in the input.
import { isDeepStrictEqual } from "node:util";
import { printObject } from "../api/object-name.ts";
import type { KubernetesObject } from "../api/objects.ts";
import type { PassedOver } from "../api/reading.ts";
import { readServiceManifest, type ServiceManifest } from "../api/service-manifest.ts";
import { readSliceManifest, type SliceManifest } from "../api/slice-manifest.ts";
import type { InputError, Place } from "../errors.ts";
import type { Finding } from "../lint/finding.ts";
import { duplicateObject, invalidEntry, unreadable } from "../lint/input-findings.ts";
import type { WrittenObject } from "../source/manifest-text.ts";
import { duplicateOf } from "../source/manifests.ts";
import { readWrittenObjects } from "../source/written-objects.ts";
import type { WrittenPart } from "../source/written-text.ts";
import { printCount } from "./input-objects.ts";
import type { LiveCluster } from "./live-cluster.ts";

/** The position of an object in the input. */
export interface Written {
  readonly place: Place;
  readonly part: WrittenPart | undefined;
}

/** A finding with the position of its object. */
export interface PlacedFinding extends Finding {
  readonly written: Written;
}

/** The objects, manifests and problems of the input. */
export class LintObjects {
  /** By `printObject`; of an object defined twice, the last definition. */
  readonly objects = new Map<string, KubernetesObject>();
  readonly written = new Map<string, Written>();
  /** By `printObject`. */
  readonly manifests = new Map<string, ServiceManifest>();
  /** By `namespace/name`. */
  readonly slices = new Map<string, SliceManifest>();
  /** Names (`printObject`) of invalid objects. */
  readonly unread = new Set<string>();
  readonly findings: PlacedFinding[] = [];
  /** Notes for people about how the input was read. */
  readonly notes: string[] = [];
  /** Skipped objects, and definitions replaced by later ones. */
  readonly passedOver: PassedOver[] = [];
  /** Name of the input in messages: `2 files`, `the cluster`. */
  source = "";
  /** The projections of each object, by `printObject`: equal if two definitions have the same effect. */
  readonly #projections = new Map<string, readonly unknown[]>();

  add({ place, raw, part, reading }: WrittenObject): void {
    const { objects, problems, passedOver } = reading;
    this.passedOver.push(...passedOver);
    const [object] = objects;
    for (const problem of problems) this.#addProblem(problem, { place, part }, object !== undefined);
    const slice = readSliceManifest(raw);
    const service = object?.kind === "Service" ? readServiceManifest(raw) : undefined;
    if (object) this.#addObject(object, [object, service, slice], { place, part });
    if (object && service) this.manifests.set(printObject(object), service);
    if (slice) this.#addSlice(slice, { place, part });
  }

  #addProblem(problem: InputError, written: Written, isUsed: boolean): void {
    const finding = isUsed ? invalidEntry(problem) : unreadable(problem);
    this.findings.push({ ...finding, written });
    if (!isUsed) this.unread.add(finding.object);
  }

  // Slices that node proxies skip have findings too.
  #addSlice(slice: SliceManifest, written: Written): void {
    this.slices.set(`${slice.namespace}/${slice.name}`, slice);
    this.written.set(`EndpointSlice ${slice.namespace}/${slice.name}`, written);
  }

  // Two definitions with the same content are not a finding.
  #addObject(object: KubernetesObject, projections: readonly unknown[], written: Written): void {
    const name = printObject(object);
    const earlier = this.objects.has(name) ? this.written.get(name) : undefined;
    if (earlier) this.passedOver.push(duplicateOf({ ...earlier.place, object: name }, written.place));
    if (earlier && !isDeepStrictEqual(this.#projections.get(name), projections))
      this.findings.push({ ...duplicateObject(name, printPlace(written.place)), written: earlier });
    this.objects.set(name, object);
    this.#projections.set(name, projections);
    this.written.set(name, written);
  }
}

/** Reads the objects of all paths. `tell` receives the part of each file that was read so far, from 0 to 1. */
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

/** Reads the objects of a live cluster. Rejects with InputError if the API server cannot be read. */
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
