// What do all checks look at?
import { printObject } from "../api/object-name.ts";
import type { EndpointSlice, Endpoints, KubernetesObject, Node, Service } from "../api/objects.ts";
import type { ServiceManifest } from "../api/service-manifest.ts";
import { compareServices } from "../api/service-name.ts";
import type { SliceManifest } from "../api/slice-manifest.ts";
import type { KnownPort } from "../model/known-service.ts";
import type { KnownWorld } from "../model/world.ts";
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";

/** One port of a Service in one family, with all that this node makes of it. */
export interface LintedPort extends KnownPort {
  readonly family: Family;
  /** Position in `spec.ports`. */
  readonly index: number;
}

export interface LintedService {
  readonly service: Service;
  readonly manifest: ServiceManifest;
  /** Those that count for it, sorted by name; mirrored ones are among them. */
  readonly slices: readonly EndpointSlice[];
  /** None for a Service that this proxy does not serve. */
  readonly ports: readonly LintedPort[];
}

/** This node's side of one family. */
export interface NodeFamily {
  readonly family: Family;
  readonly nodePortAddresses: "all" | readonly string[];
  /** Of all interfaces, as far as they are known. */
  readonly addresses: readonly string[];
}

export type LintOptions = Pick<Options, "mode" | "iptablesLayout" | "clusterCIDRs" | "allowServiceExternalIPs">;

export interface LintedCluster {
  readonly options: LintOptions;
  /** Empty: not told. */
  readonly nodeName: string;
  readonly nodes: readonly Node[];
  readonly families: readonly NodeFamily[];
  /** All that could be read, sorted; by their `namespace/name`. */
  readonly services: ReadonlyMap<string, LintedService>;
  /** `Service namespace/name` of those that are there and could not be read. */
  readonly unread: ReadonlySet<string>;
  /** As they are written, used or not; by their `namespace/name`. */
  readonly slices: ReadonlyMap<string, SliceManifest>;
  /** Those that were read. */
  readonly readSlices: readonly EndpointSlice[];
  readonly endpoints: readonly Endpoints[];
}

/** What the manifests said, before anything is worked out. */
export interface LintInput {
  readonly options: LintOptions;
  readonly nodeName: string;
  /** Each object once. */
  readonly objects: readonly KubernetesObject[];
  readonly manifests: ReadonlyMap<string, ServiceManifest>;
  readonly slices: ReadonlyMap<string, SliceManifest>;
  readonly unread: ReadonlySet<string>;
  /** What this node makes of the same objects, one for each family. */
  readonly worlds: readonly KnownWorld[];
  /** Of all interfaces of this node, both families. */
  readonly addresses: readonly string[];
}

/** Puts together what belongs together. A Service without a manifest is left out. */
export function lintedClusterOf(input: LintInput): LintedCluster {
  const { options, nodeName, objects, unread, slices } = input;
  return {
    options,
    nodeName,
    unread,
    slices,
    nodes: objects.filter((object) => object.kind === "Node"),
    readSlices: objects.filter((object) => object.kind === "EndpointSlice"),
    endpoints: objects.filter((object) => object.kind === "Endpoints"),
    families: input.worlds.map(({ settings: { family }, nodePortAddresses }) => ({
      family,
      nodePortAddresses,
      addresses: input.addresses.filter((address) => address.includes(":") === (family === "IPv6")),
    })),
    services: lintedServices(input),
  };
}

function lintedServices({ objects, manifests, worlds }: LintInput): LintedCluster["services"] {
  const services = new Map<string, LintedService & { readonly ports: LintedPort[] }>();
  for (const object of objects.filter((each) => each.kind === "Service").sort(compareServices)) {
    const manifest = manifests.get(printObject(object));
    if (manifest) services.set(nameOf(object), { service: object, manifest, slices: [], ports: [] });
  }
  for (const { viewpoint, known } of worlds) {
    for (const { record, ports } of known) {
      const name = nameOf(record.service);
      const linted = services.get(name);
      if (!linted) continue;
      const found = ports.map((port) => ({ ...port, family: viewpoint.family, index: indexOf(record.service, port) }));
      services.set(name, { ...linted, slices: record.slices, ports: [...linted.ports, ...found] });
    }
  }
  return services;
}

/** `namespace/name`. */
export function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`;
}

function indexOf({ ports }: Service, { traffic: { servicePort } }: KnownPort): number {
  return ports.findIndex(({ name, protocol }) => name === servicePort.name.port && protocol === servicePort.protocol);
}
