// What do we ask the API server for?
import { readEndpointSlice } from "../api/endpoint-slice.ts";
import { readNode } from "../api/node.ts";
import type { Kind, KubernetesObject } from "../api/objects.ts";
import type { Reading } from "../api/reading.ts";
import { readService } from "../api/service.ts";
import type { Place } from "../errors.ts";

/** A collection of objects, and which of them we want. */
export interface Resource {
  readonly kind: Kind;
  /** Plural, as the API names it. */
  readonly name: string;
  readonly path: string;
  readonly selectors: Readonly<Record<string, string>>;
  readonly read: (raw: unknown, place: Place) => Reading<KubernetesObject>;
}

const SERVICES: Resource = {
  kind: "Service",
  name: "services",
  path: "/api/v1/services",
  selectors: { labelSelector: "!service.kubernetes.io/service-proxy-name", fieldSelector: "spec.clusterIP!=None" },
  read: readService,
};

const SLICES: Resource = {
  kind: "EndpointSlice",
  name: "endpointslices",
  path: "/apis/discovery.k8s.io/v1/endpointslices",
  selectors: { labelSelector: "!service.kubernetes.io/headless" },
  read: readEndpointSlice,
};

/** What kube-proxy asks for, with its selectors; of the Nodes only our own. */
export function clusterResources(nodeName: string): readonly Resource[] {
  const selectors = { fieldSelector: `metadata.name=${nodeName}` };
  return [SERVICES, SLICES, { kind: "Node", name: "nodes", path: "/api/v1/nodes", selectors, read: readNode }];
}

/** The path of a request for this resource, with selectors and further parameters; empty ones are left out. */
export function printPath({ path, selectors }: Resource, parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries({ ...selectors, ...parameters }).filter(([, value]) => value !== "");
  return `${path}?${new URLSearchParams(given)}`;
}
