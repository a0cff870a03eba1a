// Computes the model of the node for all Services, and reuses what did not change.
import type { Node, ServiceRecord, Snapshot } from "../api/objects.ts";
import { compareServices } from "../api/service-name.ts";
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";
import { finderIn, mapPages, type Page, type PagedList, pagedList, sameItems } from "../paged-list.ts";
import { type KnownService, knownServiceOf, sameViewpoint, type Viewpoint } from "./known-service.ts";
import { keep, sameList } from "./sameness.ts";
import { nodeSettingsOf, type RuleFacts, type RuleOptions, type Settings, sameSettings } from "./settings.ts";
import type { ServiceTraffic } from "./traffic.ts";

/** All that a backend may look at, of one family. */
export interface World {
  readonly settings: Settings;
  /** Node addresses that answer on nodePorts, sorted. */
  readonly nodePortAddresses: "all" | readonly string[];
  /** Sorted by namespace, name, port name, protocol. What did not change is the same object as in the previous World. */
  readonly services: PagedList<ServiceTraffic>;
}

/** A World that the next one can be made from. */
export interface KnownWorld extends World {
  readonly viewpoint: Viewpoint;
  /** Every Service, sorted; those without a ServicePort of this family too. */
  readonly known: PagedList<KnownService>;
  /** What was worked out from this viewpoint. */
  readonly remembered: WeakMap<Page<ServiceRecord>, Page<KnownService>>;
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

const NOTHING_KNOWN = pagedList<KnownService>();

const NO_NODE = { zone: "", addresses: [], podCIDRs: [] };

/**
 * The World of one family. With `previous`, a record that is the same object is not looked into, what is equal stays
 * the same object, and where nothing at all changed it is `previous` itself that comes back.
 */
export function worldOf(input: WorldInput): KnownWorld {
  const { snapshot, nodeName, options, facts, family, previous } = input;
  const node = input.node ?? snapshot.nodes.get(nodeName) ?? NO_NODE;
  const { allowServiceExternalIPs } = options;
  const ipvs = options.mode === "ipvs" ? { ipvs: true as const } : {};
  const viewpoint: Viewpoint = { family, nodeName, zone: node.zone, allowServiceExternalIPs, ...ipvs };
  const { known, remembered } = knownServices(snapshot.services, viewpoint, previous);
  const services = trafficsOf(known);
  const now = nodeSettingsOf({ family, options, facts, node, knownEndpoints: countEndpoints(services) });
  return keep(
    previous,
    {
      settings: keep(previous?.settings, now.settings, sameSettings),
      nodePortAddresses: keep(previous?.nodePortAddresses, now.nodePortAddresses, sameAddresses),
      services: keep(previous?.services, services, sameItems),
      viewpoint: keep(previous?.viewpoint, viewpoint, sameViewpoint),
      known,
      remembered,
    },
    sameWorld,
  );
}

// Mostly few records are new among thousands: pages without any are not gone through.
function knownServices(
  records: PagedList<ServiceRecord>,
  viewpoint: Viewpoint,
  previous: KnownWorld | undefined,
): Pick<KnownWorld, "known" | "remembered"> {
  const old = previous?.known ?? NOTHING_KNOWN;
  const stays = previous !== undefined && sameViewpoint(previous.viewpoint, viewpoint);
  const remembered: KnownWorld["remembered"] = stays ? previous.remembered : new WeakMap();
  const find = finderIn(old, ({ record }, sought: ServiceRecord) => {
    return record === sought ? 0 : compareServices(record.service, sought.service);
  });
  const known = mapPages(records, remembered, (page) =>
    page.map((record) => {
      const before = find(record);
      return stays && before?.record === record ? before : knownServiceOf(record, viewpoint, before);
    }),
  );
  return { known: keep(previous?.known, known, sameItems), remembered };
}

const TRAFFICS = new WeakMap<Page<KnownService>, Page<ServiceTraffic>>();

function trafficsOf(known: PagedList<KnownService>): PagedList<ServiceTraffic> {
  return mapPages(known, TRAFFICS, (page) => page.flatMap(({ ports }) => ports.map(({ traffic }) => traffic)));
}

const ENDPOINTS = new WeakMap<Page<ServiceTraffic>, number>();

function countEndpoints({ pages }: PagedList<ServiceTraffic>): number {
  return pages.reduce((sum, page) => sum + countOnPage(page), 0);
}

function countOnPage(page: Page<ServiceTraffic>): number {
  const count = ENDPOINTS.get(page) ?? page.reduce((sum, { known }) => sum + known, 0);
  ENDPOINTS.set(page, count);
  return count;
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
