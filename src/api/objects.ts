// The Kubernetes objects as far as they are used. Addresses are canonical, API defaults are applied.
import type { Family } from "../net/family.ts";
import type { Protocol } from "../net/protocol.ts";
import type { PagedList } from "../paged-list.ts";

export interface ApiServicePort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  /** 0: none. */
  readonly nodePort: number;
}

export interface Service {
  readonly kind: "Service";
  readonly namespace: string;
  readonly name: string;
  /** `Unknown` is any type that kube-proxy does not know: its ports are served, no policy for outside traffic applies. */
  readonly type: "ClusterIP" | "NodePort" | "LoadBalancer" | "ExternalName" | "Unknown";
  /** Canonical address, `None` or empty. */
  readonly clusterIP: string;
  readonly clusterIPs: readonly string[];
  readonly ipFamilies: readonly Family[];
  readonly hasSelector: boolean;
  readonly ports: readonly ApiServicePort[];
  readonly externalIPs: readonly string[];
  /** Ingress addresses with mode VIP, in order. */
  readonly ingressVIPs: readonly string[];
  /** `everyone` when the field is absent or empty; else the ranges that could be read, maybe none. */
  readonly sourceRanges: "everyone" | readonly string[];
  /** 0: none. */
  readonly affinitySeconds: number;
  readonly externalTrafficPolicy: "Cluster" | "Local";
  readonly internalTrafficPolicy: "Cluster" | "Local";
  readonly healthCheckNodePort: number;
  /** Label `service.kubernetes.io/service-proxy-name` is there: another proxy's Service. */
  readonly foreignProxy: boolean;
}

export interface ApiEndpoint {
  /** Canonical; the first address of the endpoint. */
  readonly address: string;
  readonly nodeName: string;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
  /** `namespace/name` of the Pod behind it, if told. */
  readonly pod: string;
}

export interface EndpointSlice {
  readonly kind: "EndpointSlice";
  readonly namespace: string;
  readonly name: string;
  /** Label `kubernetes.io/service-name`. */
  readonly service: string;
  readonly family: Family;
  readonly headless: boolean;
  readonly ports: readonly {
    readonly name: string;
    readonly protocol: Protocol;
    readonly port: number;
  }[];
  readonly endpoints: readonly ApiEndpoint[];
}

export interface Node {
  readonly kind: "Node";
  readonly name: string;
  /** Label `topology.kubernetes.io/zone`; empty when unknown. */
  readonly zone: string;
  /** InternalIPs in order, then ExternalIPs. */
  readonly addresses: readonly string[];
  readonly podCIDRs: readonly string[];
  /** It has a deletionTimestamp. */
  readonly deleting: boolean;
  /** It has the taint by which the cluster autoscaler announces its end. */
  readonly toBeDeleted: boolean;
}

export interface Pod {
  readonly kind: "Pod";
  readonly namespace: string;
  readonly name: string;
  readonly nodeName: string;
  readonly ips: readonly string[];
}

/** A legacy v1 Endpoints object, already turned into the slices that a control plane would mirror it into. */
export interface Endpoints {
  readonly kind: "Endpoints";
  readonly namespace: string;
  readonly name: string;
  /** One for each set of ports and family; all belong to the Service of the same name. */
  readonly slices: readonly EndpointSlice[];
}

export type KubernetesObject = Service | EndpointSlice | Endpoints | Node | Pod;

export type Kind = KubernetesObject["kind"];

/** A Service of this source with all its slices. The same object while neither arrived anew. */
export interface ServiceRecord {
  readonly service: Service;
  /** Sorted by name. Mirrored Endpoints are among them. */
  readonly slices: readonly EndpointSlice[];
}

/** The objects as they stand, complete in all kinds. */
export interface Snapshot {
  /** Sorted by `compareServices`. */
  readonly services: PagedList<ServiceRecord>;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly pods: ReadonlyMap<string, Pod>;
}
