// What do the manifests that are to be linted hold, and where does each object stand?
import { printObject } from "../api/object-name.ts";
import type { KubernetesObject } from "../api/objects.ts";
import { readServiceManifest, type ServiceManifest } from "../api/service-manifest.ts";
import { readSliceManifest, type SliceManifest } from "../api/slice-manifest.ts";
import type { InputError, Place } from "../errors.ts";
import type { Finding } from "../lint/finding.ts";
import { doubleObject, leftOutEntry, unreadable } from "../lint/reading-findings.ts";
import type { WrittenObject } from "../source/manifest-text.ts";
import { readWrittenObjects } from "../source/written-objects.ts";
import type { WrittenPart } from "../source/written-text.ts";

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
  /** Of what is of no use here, where it is and why. */
  readonly passedOver: { readonly place: Place; readonly reason: string }[] = [];

  add({ place, raw, part, reading }: WrittenObject): void {
    const { objects, problems, passedOver } = reading;
    this.passedOver.push(...passedOver);
    const [object] = objects;
    for (const problem of problems) this.#complain(problem, { place, part }, object !== undefined);
    if (object) this.#addObject(object, raw, { place, part });
    const slice = readSliceManifest(raw);
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

  #addObject(object: KubernetesObject, raw: unknown, written: Written): void {
    const name = printObject(object);
    const earlier = this.objects.has(name) ? this.written.get(name) : undefined;
    if (earlier) this.findings.push({ ...doubleObject(name, printPlace(written.place)), written: earlier });
    this.objects.set(name, object);
    this.written.set(name, written);
    if (object.kind === "Service") this.manifests.set(name, readServiceManifest(raw));
  }
}

export async function readLintObjects(paths: readonly string[]): Promise<LintObjects> {
  const objects = new LintObjects();
  for await (const written of readWrittenObjects(paths)) objects.add(written);
  return objects;
}

function printPlace({ source = "", document = 1 }: Place): string {
  return `${source}, document ${document}`;
}
