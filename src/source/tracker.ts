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
import { compareServices, type ServiceName } from "../api/service-name.ts";
import { editList, findItem, pagedList } from "../paged-list.ts";
import type { Change } from "./source.ts";

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
  /** By the Service that the slices' label names, whether that exists or not. */
  readonly #slicesOf = new Map<string, readonly EndpointSlice[]>();
  /** Services whose record may be another one now, by key. */
  readonly #stale = new Map<string, ServiceName>();
  /** Kinds with other objects, maybe, than the snapshot has. */
  readonly #moved = new Set<"Node" | "Pod">();
  #snapshot: Snapshot = { services: pagedList(), nodes: new Map(), pods: new Map() };

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
    const old = this.#snapshot;
    const services = this.#refreshRecords();
    const nodes = this.#moved.has("Node") ? refreshCopy(old.nodes, this.#nodes) : old.nodes;
    const pods = this.#moved.has("Pod") ? refreshCopy(old.pods, this.#pods) : old.pods;
    this.#moved.clear();
    if (services !== old.services || nodes !== old.nodes || pods !== old.pods) {
      this.#snapshot = { services, nodes, pods };
    }
    return this.#snapshot;
  }

  #set(object: KubernetesObject): void {
    switch (object.kind) {
      case "Service":
        if (replace(this.#services, printKey(object), object)) this.#suspect(object);
        break;
      case "EndpointSlice":
        this.#setSlice(object);
        break;
      case "Endpoints":
        if (replace(this.#endpoints, printKey(object), object)) this.#suspect(object);
        break;
      case "Node":
        if (replace(this.#nodes, object.name, object)) this.#moved.add("Node");
        break;
      case "Pod":
        if (replace(this.#pods, printKey(object), object)) this.#moved.add("Pod");
    }
  }

  #delete({ kind, namespace, name }: ObjectIdentity): void {
    const key = printKey({ namespace, name });
    switch (kind) {
      case "Service":
        if (this.#services.delete(key)) this.#suspect({ namespace, name });
        break;
      case "EndpointSlice":
        this.#unlinkSlice(key);
        this.#slices.delete(key);
        break;
      case "Endpoints":
        if (this.#endpoints.delete(key)) this.#suspect({ namespace, name });
        break;
      case "Node":
        if (this.#nodes.delete(name)) this.#moved.add("Node");
        break;
      case "Pod":
        if (this.#pods.delete(key)) this.#moved.add("Pod");
    }
  }

  // A slice whose label names another Service now leaves the old one at once.
  #setSlice(slice: EndpointSlice): void {
    const key = printKey(slice);
    if (isDeepStrictEqual(this.#slices.get(key), slice)) return;
    this.#unlinkSlice(key);
    this.#slices.set(key, slice);
    const owner = printKey(ownerOf(slice));
    this.#slicesOf.set(owner, (this.#slicesOf.get(owner) ?? []).concat(slice));
    this.#suspect(ownerOf(slice));
  }

  #unlinkSlice(key: string): void {
    const slice = this.#slices.get(key);
    if (!slice) return;
    const owner = printKey(ownerOf(slice));
    const siblings = (this.#slicesOf.get(owner) ?? []).filter((other) => other !== slice);
    if (siblings.length > 0) this.#slicesOf.set(owner, siblings);
    else this.#slicesOf.delete(owner);
    this.#suspect(ownerOf(slice));
  }

  #suspect(name: ServiceName): void {
    this.#stale.set(printKey(name), name);
  }

  #refreshRecords(): Snapshot["services"] {
    const { services } = this.#snapshot;
    const [gone, come]: [ServiceRecord[], ServiceRecord[]] = [[], []];
    for (const [key, name] of this.#stale) {
      const old = findItem(services, ({ service }) => compareServices(service, name));
      const record = this.#makeRecord(key, old);
      if (record === old) continue;
      if (old) gone.push(old);
      if (record) come.push(record);
    }
    this.#stale.clear();
    const changed = gone.length + come.length > 0;
    return changed ? editList(services, { gone, come }, (a, b) => compareServices(a.service, b.service)) : services;
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
    const written = (this.#slicesOf.get(key) ?? []).filter(({ headless }) => !headless);
    const families = new Set(written.map(({ family }) => family));
    const mirrored = hasSelector ? [] : (this.#endpoints.get(key)?.slices ?? []);
    const wanted = mirrored.filter(({ family, headless }) => !headless && !families.has(family));
    return [...written, ...wanted].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function printKey({ namespace, name }: ServiceName): string {
  return `${namespace}/${name}`;
}

function ownerOf({ namespace, service }: EndpointSlice): ServiceName {
  return { namespace, name: service };
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
