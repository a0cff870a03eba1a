// The resources that are listed and watched at the API server, with their selectors.
import { readEndpointSlice, readSliceWithoutPods } from "../api/endpoint-slice.ts";
import { readNode } from "../api/node.ts";
import type { Kind, KubernetesObject } from "../api/objects.ts";
import { readPod } from "../api/pod.ts";
import type { Reading } from "../api/reading.ts";
import { readService } from "../api/service.ts";
import type { Place } from "../errors.ts";

/** A collection of objects, and which of them we want. */
export interface Resource {
  readonly kind: Kind;
  /** Group and version; the items of a list leave both kind and version to it. */
  readonly apiVersion: string;
  /** Plural, as the API names it. */
  readonly name: string;
  readonly path: string;
  readonly selectors: Readonly<Record<string, string>>;
  readonly read: (raw: unknown, place: Place) => Reading<KubernetesObject>;
}

/** Both have the grammar of names, so they may stand in a path. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

const SERVICES: Resource = {
  kind: "Service",
  apiVersion: "v1",
  name: "services",
  path: "/api/v1/services",
  selectors: { labelSelector: "!service.kubernetes.io/service-proxy-name", fieldSelector: "spec.clusterIP!=None" },
  read: readService,
};

const SLICES: Resource = {
  kind: "EndpointSlice",
  apiVersion: "discovery.k8s.io/v1",
  name: "endpointslices",
  path: "/apis/discovery.k8s.io/v1/endpointslices",
  selectors: { labelSelector: "!service.kubernetes.io/headless" },
  read: readEndpointSlice,
};

const NODES: Resource = {
  kind: "Node",
  apiVersion: "v1",
  name: "nodes",
  path: "/api/v1/nodes",
  selectors: {},
  read: readNode,
};

/** What kube-proxy asks for, with its selectors; of the Nodes only our own. */
export function clusterResources(nodeName: string): readonly Resource[] {
  const node = { fieldSelector: nameSelector(nodeName) };
  return [SERVICES, { ...SLICES, read: readSliceWithoutPods }, { ...NODES, selectors: node }];
}

/** All that there is of what manifests could hold, be it a node proxy's business or not; Pods aside. */
export const WHOLE_CLUSTER: readonly Resource[] = [SERVICES, SLICES, NODES].map((resource) => {
  return { ...resource, selectors: {} };
});

/** One Pod: a cluster may have too many to list them all, and who asks may see those of one namespace only. */
export function podResource({ namespace, name }: PodName): Resource {
  return {
    kind: "Pod",
    apiVersion: "v1",
    name: "pods",
    path: `/api/v1/namespaces/${namespace}/pods`,
    selectors: { fieldSelector: nameSelector(name) },
    read: readPod,
  };
}

/** Backslash, comma and equals sign are escaped, as by `EscapeValue` of k8s.io/apimachinery/pkg/fields. */
function nameSelector(name: string): string {
  return `metadata.name=${name.replace(/[\\,=]/g, "\\$&")}`;
}

/** The path of a request for this resource, with selectors and further parameters; empty ones are left out. */
export function printPath({ path, selectors }: Resource, parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries({ ...selectors, ...parameters }).filter(([, value]) => value !== "");
  return `${path}?${new URLSearchParams(given)}`;
}
