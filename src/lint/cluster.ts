// Builds the view of a cluster that lint checks examine: manifests joined with the model of the node.
import { printObject } from "../api/object-name.ts";
import type { EndpointSlice, Endpoints, KubernetesObject, Node, Service } from "../api/objects.ts";
import type { ServiceManifest } from "../api/service-manifest.ts";
import { compareServices } from "../api/service-name.ts";
import type { SliceManifest } from "../api/slice-manifest.ts";
import type { KnownPort } from "../model/known-service.ts";
import type { KnownWorld } from "../model/world.ts";
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";

/** One port of a Service in one family, with its endpoints and rules on this node. */
export interface LintedPort extends KnownPort {
  readonly family: Family;
  /** Position in `spec.ports`. */
  readonly index: number;
}

/** A Service with its manifest and EndpointSlices. */
export interface LintedService {
  readonly service: Service;
  readonly manifest: ServiceManifest;
  /** The slices that node proxies use, sorted by name; includes slices mirrored from Endpoints. */
  readonly slices: readonly EndpointSlice[];
  /** Empty for a Service that the proxy does not serve, such as a headless one. */
  readonly ports: readonly LintedPort[];
}

/** Addresses of the node in one family. */
export interface NodeFamily {
  readonly family: Family;
  readonly nodePortAddresses: "all" | readonly string[];
  /** Known addresses of all interfaces. */
  readonly addresses: readonly string[];
}

/** The options that affect findings. */
export type LintOptions = Pick<Options, "mode" | "iptablesLayout" | "clusterCIDRs" | "allowServiceExternalIPs">;

/** All objects of the input, as the checks see them. */
export interface LintedCluster {
  readonly options: LintOptions;
  /** Empty if no node was selected. */
  readonly nodeName: string;
  readonly nodes: readonly Node[];
  readonly families: readonly NodeFamily[];
  /** Valid Services in the order of kube-proxy rules, by `namespace/name`. */
  readonly services: ReadonlyMap<string, LintedService>;
  /** Invalid objects of the input, such as `Service namespace/name`. */
  readonly unread: ReadonlySet<string>;
  /** Manifests of all EndpointSlices, used or not, by `namespace/name`. */
  readonly slices: ReadonlyMap<string, SliceManifest>;
  /** Valid EndpointSlices of the input. */
  readonly readSlices: readonly EndpointSlice[];
  readonly endpoints: readonly Endpoints[];
}

/** Parsed input of `lintedClusterOf`. */
export interface LintInput {
  readonly options: LintOptions;
  readonly nodeName: string;
  /** Without duplicates. */
  readonly objects: readonly KubernetesObject[];
  readonly manifests: ReadonlyMap<string, ServiceManifest>;
  readonly slices: ReadonlyMap<string, SliceManifest>;
  readonly unread: ReadonlySet<string>;
  /** The model of the node for the same objects, one per family. */
  readonly worlds: readonly KnownWorld[];
  /** Addresses of all interfaces of the node, both families. */
  readonly addresses: readonly string[];
}

/** Joins manifests, EndpointSlices and the model of the node. Skips a Service without a manifest. */
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
