// Reads the objects of manifest files and merges them, so that each object is there once.
import { readFile } from "node:fs/promises";
import { printObject } from "../api/object-name.ts";
import type { KubernetesObject } from "../api/objects.ts";
import { joinReadings, type PassedOver, type Reading, refuse } from "../api/reading.ts";
import { InputError, type Place } from "../errors.ts";
import { failureWords } from "./file-failure.ts";
import { type WrittenObject, writtenObjectsOf } from "./manifest-text.ts";
import { type ManifestMeans, readWrittenObjects } from "./written-objects.ts";

/** What one file says. */
export interface FileReading {
  readonly path: string;
  readonly reading: Reading<KubernetesObject>;
  readonly places: Places;
  /** False when the system refused to let us read: the next attempt may succeed without a change of the file. */
  readonly wasRead: boolean;
}

/** Where each object is defined. */
type Places = ReadonlyMap<KubernetesObject, Place>;

/** What all files say. */
export interface Manifests extends Reading<KubernetesObject> {
  /** How many files there are, standard input among them. */
  readonly files: number;
}

/**
 * Reads all paths once; `-` is standard input. Of an object that is defined twice the later definition counts: that of
 * the argument given later, or of the later file of a directory. Throws nothing for bad input: every fault is among the
 * problems.
 */
export async function readManifests(paths: readonly string[], means: ManifestMeans = {}): Promise<Manifests> {
  const { files, objects } = await readWrittenObjects(paths, means);
  const readings: Reading<KubernetesObject>[] = [];
  const places = new Map<KubernetesObject, Place>();
  for await (const written of objects) readings.push(take(written, places));
  return { ...withoutDuplicates(joinReadings(readings), (object) => places.get(object)), files };
}

/** Reads one file. */
export async function readManifest(path: string): Promise<FileReading> {
  const places = new Map<KubernetesObject, Place>();
  try {
    const written = [...writtenObjectsOf(await readFile(path, "utf8"), path)];
    return { path, wasRead: true, reading: joinReadings(written.map((each) => take(each, places))), places };
  } catch (error) {
    const problem = new InputError({ source: path }, `cannot be read: ${failureWords(error)}`);
    return { path, wasRead: false, reading: refuse(problem), places };
  }
}

function take({ reading, place }: WrittenObject, places: Map<KubernetesObject, Place>): Reading<KubernetesObject> {
  for (const object of reading.objects) places.set(object, place);
  return reading;
}

/** One reading of all files, in their order. */
export function mergeFiles(files: readonly FileReading[]): Reading<KubernetesObject> {
  const fileOf = new Map(files.flatMap((file) => file.reading.objects.map((object) => [object, file] as const)));
  const placeOf = (object: KubernetesObject) => {
    const file = fileOf.get(object);
    return file && (file.places.get(object) ?? { source: file.path });
  };
  return withoutDuplicates(joinReadings(files.map(({ reading }) => reading)), placeOf);
}

function withoutDuplicates(
  all: Reading<KubernetesObject>,
  placeOf: (object: KubernetesObject) => Place | undefined,
): Reading<KubernetesObject> {
  const last = new Map<string, KubernetesObject>();
  const duplicates: PassedOver[] = [];
  for (const object of all.objects) {
    const name = printObject(object);
    const earlier = last.get(name);
    if (earlier) duplicates.push(duplicateOf({ ...placeOf(earlier), object: name }, placeOf(object)));
    last.set(name, object);
  }
  return { ...all, objects: [...last.values()], passedOver: [...all.passedOver, ...duplicates] };
}

/** The earlier definition of an object, which is skipped. */
export function duplicateOf(earlier: Place, later: Place = {}): PassedOver {
  const { source = "", document, field } = later;
  const place = [source, ...(document === undefined ? [] : [`document ${document}`]), ...(field ? [field] : [])];
  return { place: earlier, reason: `defined again in ${place.join(", ")}, which is used`, category: "duplicate" };
}
