// How do the objects stand now? The newest of each, and each Service with its slices.
import { isDeepStrictEqual } from "node:util";
import type { ObjectIdentity } from "../api/object-name.ts";
import type {
  EndpointSlice,
  Endpoints,
  Kind,
  KubernetesObject,
  Node,
  Pod,
  Service,
  ServiceRecord,
  Snapshot,
} from "../api/objects.ts";
import type { Change } from "./source.ts";

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Holds the newest objects. Sameness is identity: an object that arrives again without a change of meaning, the record
 * of a Service while neither it nor its slices change, and the whole snapshot while nothing does, stay the same object.
 */
export class Tracker {
  readonly #awaited: Set<Kind>;
  readonly #services = new Map<string, Service>();
  readonly #slices = new Map<string, EndpointSlice>();
  readonly #endpoints = new Map<string, Endpoints>();
  readonly #nodes = new Map<string, Node>();
  readonly #pods = new Map<string, Pod>();
  /** By the Service that the slices' label names, then by slice: whether that Service exists or not. */
  readonly #slicesOf = new Map<string, Map<string, EndpointSlice>>();
  /** Services whose record may be another one now. */
  readonly #stale = new Set<string>();
  #snapshot: Snapshot = { services: new Map(), nodes: new Map(), pods: new Map() };

  /** There is no snapshot before all awaited kinds are complete. */
  constructor(awaited: readonly Kind[]) {
    this.#awaited = new Set(awaited);
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.type === "set") this.#set(change.object);
      else if (change.type === "delete") this.#delete(change.identity);
      else this.#awaited.delete(change.kind);
    }
  }

  /**
   * The objects as they stand, filtered as the API server filters them for a node proxy: no Services of another proxy,
   * no headless ones, no slices labelled headless. Undefined while an awaited kind is incomplete.
   */
  snapshot(): Snapshot | undefined {
    return this.#awaited.size > 0 ? undefined : this.#current();
  }

  /** The snapshot of these objects and no others. */
  static snapshotOf(objects: readonly KubernetesObject[]): Snapshot {
    const tracker = new Tracker([]);
    tracker.apply(objects.map((object) => ({ type: "set", object })));
    return tracker.#current();
  }

  #current(): Snapshot {
    const services = this.#refreshRecords();
    const nodes = refreshCopy(this.#snapshot.nodes, this.#nodes);
    const pods = refreshCopy(this.#snapshot.pods, this.#pods);
    const old = this.#snapshot;
    if (services !== old.services || nodes !== old.nodes || pods !== old.pods) {
      this.#snapshot = { services, nodes, pods };
    }
    return this.#snapshot;
  }

  #set(object: KubernetesObject): void {
    switch (object.kind) {
      case "Service":
        if (replace(this.#services, printKey(object), object)) this.#stale.add(printKey(object));
        break;
      case "EndpointSlice":
        this.#setSlice(object);
        break;
      case "Endpoints":
        if (replace(this.#endpoints, printKey(object), object)) this.#stale.add(printKey(object));
        break;
      case "Node":
        replace(this.#nodes, object.name, object);
        break;
      case "Pod":
        replace(this.#pods, printKey(object), object);
    }
  }

  #delete({ kind, namespace, name }: ObjectIdentity): void {
    const key = printKey({ namespace, name });
    switch (kind) {
      case "Service":
        if (this.#services.delete(key)) this.#stale.add(key);
        break;
      case "EndpointSlice":
        this.#unlinkSlice(key);
        this.#slices.delete(key);
        break;
      case "Endpoints":
        if (this.#endpoints.delete(key)) this.#stale.add(key);
        break;
      case "Node":
        this.#nodes.delete(name);
        break;
      case "Pod":
        this.#pods.delete(key);
    }
  }

  // A slice whose label names another Service now leaves the old one at once.
  #setSlice(slice: EndpointSlice): void {
    const key = printKey(slice);
    if (isDeepStrictEqual(this.#slices.get(key), slice)) return;
    this.#unlinkSlice(key);
    this.#slices.set(key, slice);
    const owner = printOwner(slice);
    const siblings = this.#slicesOf.get(owner) ?? new Map<string, EndpointSlice>();
    this.#slicesOf.set(owner, siblings.set(key, slice));
    this.#stale.add(owner);
  }

  #unlinkSlice(key: string): void {
    const slice = this.#slices.get(key);
    if (!slice) return;
    const owner = printOwner(slice);
    const siblings = this.#slicesOf.get(owner);
    siblings?.delete(key);
    if (siblings?.size === 0) this.#slicesOf.delete(owner);
    this.#stale.add(owner);
  }

  #refreshRecords(): Snapshot["services"] {
    const services = new Map(this.#stale.size > 0 ? this.#snapshot.services : []);
    let changed = false;
    for (const key of this.#stale) {
      const old = services.get(key);
      const record = this.#makeRecord(key, old);
      if (record === old) continue;
      changed = true;
      if (record) services.set(key, record);
      else services.delete(key);
    }
    this.#stale.clear();
    return changed ? services : this.#snapshot.services;
  }

  #makeRecord(key: string, old: ServiceRecord | undefined): ServiceRecord | undefined {
    const service = this.#services.get(key);
    if (!service || service.foreignProxy || service.clusterIP === "None") return undefined;
    const slices = this.#gatherSlices(key, service);
    const same = old?.service === service && sameElements(old.slices, slices);
    return same ? old : { service, slices };
  }

  // Slices that somebody wrote win over mirrored ones of their family, or an endpoint could count twice.
  #gatherSlices(key: string, { hasSelector }: Service): readonly EndpointSlice[] {
    const written = [...(this.#slicesOf.get(key)?.values() ?? [])].filter(({ headless }) => !headless);
    const families = new Set(written.map(({ family }) => family));
    const mirrored = hasSelector ? [] : (this.#endpoints.get(key)?.slices ?? []);
    const wanted = mirrored.filter(({ family, headless }) => !headless && !families.has(family));
    return [...written, ...wanted].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function printKey({ namespace, name }: Named): string {
  return `${namespace}/${name}`;
}

function printOwner({ namespace, service }: EndpointSlice): string {
  return `${namespace}/${service}`;
}

// False, and nothing done, when the object means what the known one means.
function replace<T>(known: Map<string, T>, key: string, object: T): boolean {
  if (isDeepStrictEqual(known.get(key), object)) return false;
  known.set(key, object);
  return true;
}

// The snapshot's reader keeps the map, so it is never changed afterwards.
function refreshCopy<T>(copy: ReadonlyMap<string, T>, newest: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  const same = copy.size === newest.size && [...newest].every(([key, object]) => copy.get(key) === object);
  return same ? copy : new Map(newest);
}

function sameElements<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((element, index) => element === b[index]);
}
