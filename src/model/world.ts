// What should this node do for its Services, and what of that is as it was?
import type { Node, ServiceRecord, Snapshot } from "../api/objects.ts";
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import { type KnownService, knownServiceOf, sameViewpoint, type Viewpoint } from "./known-service.ts";
import { compareServices } from "./names.ts";
import { keep, sameList } from "./sameness.ts";
import { nodeSettingsOf, type RuleFacts, type RuleOptions, type Settings, sameSettings } from "./settings.ts";
import type { ServiceTraffic } from "./traffic.ts";

/** All that a backend may look at, of one family. */
export interface World {
  readonly settings: Settings;
  /** Node addresses that answer on nodePorts, sorted. */
  readonly nodePortAddresses: "all" | readonly string[];
  /** Sorted by namespace, name, port name, protocol. What did not change is the same object as in the previous World. */
  readonly services: readonly ServiceTraffic[];
}

/** A World that the next one can be made from. */
export interface KnownWorld extends World {
  readonly viewpoint: Viewpoint;
  /** Every Service by `namespace/name`, sorted; those without a ServicePort of this family too. */
  readonly known: ReadonlyMap<string, KnownService>;
}

export interface WorldInput {
  readonly snapshot: Snapshot;
  /** Empty when this node is not known: then no endpoint is local. */
  readonly nodeName: string;
  /**
   * The Node to go by instead of the snapshot's: kube-proxy takes addresses and pod ranges once, at start, and follows
   * only the zone afterwards, and that not when the Node is deleted.
   */
  readonly node?: Node;
  readonly options: RuleOptions & Pick<Options, "allowServiceExternalIPs">;
  readonly facts: RuleFacts;
  readonly family: Family;
  /** The World of this family before; the result does not depend on it but shares all that is equal. */
  readonly previous?: KnownWorld;
}

const NOTHING_KNOWN: ReadonlyMap<string, KnownService> = new Map();

const NO_NODE = { zone: "", addresses: [], podCIDRs: [] };

/**
 * The World of one family. With `previous`, a record that is the same object is not looked into, what is equal stays
 * the same object, and where nothing at all changed it is `previous` itself that comes back.
 */
export function worldOf(input: WorldInput): KnownWorld {
  const { snapshot, nodeName, options, facts, family, previous } = input;
  const node = input.node ?? snapshot.nodes.get(nodeName) ?? NO_NODE;
  const { allowServiceExternalIPs } = options;
  const viewpoint: Viewpoint = { family, nodeName, zone: node.zone, allowServiceExternalIPs };
  const known = knownServices(snapshot.services, viewpoint, previous);
  const services = trafficsOf(known);
  const now = nodeSettingsOf({ family, options, facts, node, knownEndpoints: countEndpoints(services) });
  return keep(
    previous,
    {
      settings: keep(previous?.settings, now.settings, sameSettings),
      nodePortAddresses: keep(previous?.nodePortAddresses, now.nodePortAddresses, sameAddresses),
      services: keep(previous?.services, services, sameList),
      viewpoint: keep(previous?.viewpoint, viewpoint, sameViewpoint),
      known,
    },
    sameWorld,
  );
}

// Mostly few records are new among thousands: for those that are as they were, this only moves pointers.
function knownServices(
  records: ReadonlyMap<string, ServiceRecord>,
  viewpoint: Viewpoint,
  previous: KnownWorld | undefined,
): ReadonlyMap<string, KnownService> {
  const old = previous?.known ?? NOTHING_KNOWN;
  const stays = previous !== undefined && sameViewpoint(previous.viewpoint, viewpoint);
  const known = new Map<string, KnownService>();
  let same = old.size === records.size;
  for (const key of inOrder(records, old)) {
    const record = records.get(key);
    if (record === undefined) continue;
    const before = old.get(key);
    const service = stays && before?.record === record ? before : knownServiceOf(record, viewpoint, before);
    known.set(key, service);
    same &&= service === before;
  }
  return same ? old : known;
}

// While no Service is new the old order stands, with those in it that are gone.
function inOrder(
  records: ReadonlyMap<string, ServiceRecord>,
  old: ReadonlyMap<string, KnownService>,
): Iterable<string> {
  const hasNew = [...records.keys()].some((key) => !old.has(key));
  if (!hasNew) return old.keys();
  const sorted = [...records].sort(([, a], [, b]) => compareServices(a.service, b.service));
  return sorted.map(([key]) => key);
}

function trafficsOf(known: ReadonlyMap<string, KnownService>): readonly ServiceTraffic[] {
  const services: ServiceTraffic[] = [];
  for (const { ports } of known.values()) for (const { traffic } of ports) services.push(traffic);
  return services;
}

function countEndpoints(services: readonly ServiceTraffic[]): number {
  return services.reduce((sum, { known }) => sum + known, 0);
}

function sameAddresses(a: "all" | readonly string[], b: "all" | readonly string[]): boolean {
  return a === "all" || b === "all" ? a === b : sameList(a, b);
}

function sameWorld(a: KnownWorld, b: KnownWorld): boolean {
  return (
    a.settings === b.settings &&
    a.nodePortAddresses === b.nodePortAddresses &&
    a.services === b.services &&
    a.viewpoint === b.viewpoint &&
    a.known === b.known
  );
}
