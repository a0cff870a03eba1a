// Reads the objects that a command looks at, from files or a live cluster, and says what was skipped.
import type { KubernetesObject } from "../api/objects.ts";
import type { PassedOver, Reading } from "../api/reading.ts";
import { InputError } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import { readManifests } from "../source/manifests.ts";
import type { PodName } from "../source/resources.ts";
import type { LiveCluster } from "./live-cluster.ts";
import type { Progress } from "./progress.ts";

export interface ObjectsChoice {
  /** Files, directories, `-` for standard input. */
  readonly paths: readonly string[];
  /** Standard input, where it has been read already. */
  readonly stdin?: NodeJS.ReadableStream;
  /** Read in place of paths. */
  readonly cluster?: LiveCluster | undefined;
  readonly progress: Progress;
  /** Documents that are no Kubernetes objects, and unrendered templates, are errors. */
  readonly strict: boolean;
}

/** Objects, and what a reader of the result should know of how they were read. */
export interface ReadObjects extends Reading<KubernetesObject> {
  readonly notes: readonly string[];
  /** What was read, for messages: `2 files: 1 Node, 3 documents of other kinds`. */
  readonly found: string;
}

/**
 * Reads all objects once; of a live cluster's Pods only these. Invalid ones are among the problems. Rejects with
 * InputError for a cluster that cannot be read.
 */
export async function readObjects(choice: ObjectsChoice, pods: readonly PodName[] = []): Promise<ReadObjects> {
  const { paths, stdin, cluster, progress, strict } = choice;
  if (cluster) {
    const read = await cluster.objects(pods);
    return { ...read, found: describeFound(read, "the cluster") };
  }
  const read = await readManifests(paths, { tell: tellShare(progress), ...(stdin && { stdin }) });
  const { notes, problems } = describeSkipped(read.passedOver, strict);
  const found = describeFound(read, printCount(read.files, "file"));
  return { ...read, problems: [...read.problems, ...problems], notes, found };
}

/** Shows how much of a file was read. */
export function tellShare(progress: Progress): (path: string, share: number) => void {
  return (path, share) => progress.show(() => `reading ${path} ${Math.floor(share * 100)} %`);
}

/** `1 file`, `3 files`. */
export function printCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/**
 * Notes about skipped documents that a reader may have expected to count: how many there were and where, and both places
 * of each object that is defined twice. With `strict`, documents that are no Kubernetes objects are problems instead.
 */
export function describeSkipped(
  passedOver: readonly PassedOver[],
  strict: boolean,
): { readonly notes: readonly string[]; readonly problems: readonly InputError[] } {
  const [foreign, templates] = [skipped(passedOver, "foreign"), skipped(passedOver, "template")];
  const duplicates = skipped(passedOver, "duplicate").map(({ place, reason }) => new InputError(place, reason).message);
  if (strict) {
    const problems = [...foreign, ...templates].map(({ place, reason }) => new InputError(place, reason));
    return { notes: duplicates.map((text) => `note: ${text}`), problems };
  }
  const notes = [...duplicates];
  if (foreign.length > 0) {
    const documents = `${printCount(foreign.length, "document")} without apiVersion and kind`;
    notes.push(`skipped ${documents}: ${printSources(foreign)}`);
  }
  if (templates.length > 0) {
    const documents = printCount(templates.length, "unrendered template");
    notes.push(`skipped ${documents}: ${printSources(templates)}; ${RENDER_FIRST}`);
  }
  return { notes: notes.map((text) => `note: ${text}`), problems: [] };
}

const RENDER_FIRST = 'render them first, for example "helm template CHART | fairlead render -"';

/** Names of files in a note. */
const MOST_SOURCES = 5;

function printSources(skipped: readonly PassedOver[]): string {
  const sources = [...new Set(skipped.map(({ place }) => place.source ?? ""))];
  const more = sources.length > MOST_SOURCES ? [`and ${sources.length - MOST_SOURCES} more`] : [];
  return [...sources.slice(0, MOST_SOURCES), ...more].join(", ");
}

function skipped(passedOver: readonly PassedOver[], category: PassedOver["category"]): readonly PassedOver[] {
  return passedOver.filter((each) => each.category === category);
}

/** What was read, by kind: `2 files: 1 Node, 3 objects of another kind`. */
export function describeFound(
  { objects, passedOver }: Pick<Reading<KubernetesObject>, "objects" | "passedOver">,
  where: string,
): string {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const parts = [...counts].map(([kind, count]) => printCount(count, kind));
  const others = [
    ["unused", "object", " of another kind"],
    ["foreign", "document", " without apiVersion and kind"],
    ["template", "unrendered template", ""],
  ] as const;
  for (const [category, noun, rest] of others) {
    const count = skipped(passedOver, category).length;
    if (count > 0) parts.push(`${printCount(count, noun)}${rest}`);
  }
  return `${where}: ${parts.length === 0 ? "no objects" : parts.join(", ")}`;
}

/** Throws InputError where there is no Service to look at, unless that is meant. */
export function requireServices({ objects, found }: Pick<ReadObjects, "objects" | "found">, allowEmpty: boolean): void {
  if (allowEmpty || objects.some(({ kind }) => kind === "Service")) return;
  throw new InputError({}, `no Service in the input (${found}); pass --allow-empty if that is intended`);
}

/** Ports by Service: `demo/web` and the names of its ports. */
export type KnownServices = ReadonlyMap<string, ReadonlySet<string>>;

export function knownServices(objects: readonly KubernetesObject[]): KnownServices {
  const services = objects.filter((object) => object.kind === "Service");
  return new Map(
    services.map(({ namespace, name, ports }) => [`${namespace}/${name}`, new Set(ports.map((port) => port.name))]),
  );
}

/** Throws InputError, with the nearest known name, for a `--service NAMESPACE/NAME[:PORT]` that matches nothing. */
export function requireKnown(asked: readonly string[], known: KnownServices): void {
  for (const each of asked) {
    const [service = "", port] = each.split(":");
    const ports = known.get(service);
    if (!ports) throw new InputError({}, `no Service ${JSON.stringify(service)}${didYouMean(service, known.keys())}`);
    if (port === undefined || ports.has(port)) continue;
    throw new InputError(
      {},
      `no port ${JSON.stringify(port)} in Service ${JSON.stringify(service)}${didYouMean(port, ports)}`,
    );
  }
}
