// Derives the ServicePorts of a Service in one IP family.
import type { ApiServicePort, Service } from "../api/objects.ts";
import { familyOf } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import { lean } from "../net/lean-list.ts";
import type { Protocol } from "../net/protocol.ts";
import { compareNames, portKey, printName, type ServicePortName } from "./names.ts";
import { sameList } from "./sameness.ts";

/** Who may come to a load balancer VIP. An empty list of CIDRs lets nobody in. */
export type SourceRanges = "everyone" | readonly string[];

/** One port of one Service as one family sees it. */
export interface ServicePort {
  readonly name: ServicePortName;
  /** `printName(name)`. */
  readonly text: string;
  readonly protocol: Protocol;
  readonly clusterIP: string;
  readonly port: number;
  /** 0: none. */
  readonly nodePort: number;
  /** Order of the spec. */
  readonly externalIPs: readonly string[];
  /** Order of the status. */
  readonly loadBalancerVIPs: readonly string[];
  readonly sourceRanges: SourceRanges;
  /** Seconds that a client stays with its endpoint; 0: no affinity. */
  readonly affinitySeconds: number;
  readonly externalPolicyLocal: boolean;
  readonly internalPolicyLocal: boolean;
  /** 0: none. */
  readonly healthCheckNodePort: number;
  /** A nodePort, VIP or external IP of this family (external IPs count even when the feature gate hides them). */
  readonly reachableFromOutside: boolean;
  readonly usesCluster: boolean;
  readonly usesLocal: boolean;
}

/** Feature gates that change what a Service means. */
export interface Gates {
  readonly allowServiceExternalIPs: boolean;
}

/** What all ports of a Service have in common. */
type Shared = Omit<
  ServicePort,
  "name" | "text" | "protocol" | "port" | "nodePort" | "reachableFromOutside" | "usesCluster" | "usesLocal"
> & { readonly hasOutsideAddress: boolean };

/**
 * The ServicePorts of a Service in one family, sorted by name. None for headless and ExternalName Services, those of
 * another proxy, and those without a cluster IP of the family. As in kube-proxy, neither the nodePort nor the load
 * balancer's addresses depend on the Service's type.
 */
export function servicePortsOf(service: Service, family: Family, gates: Gates): readonly ServicePort[] {
  const clusterIP = clusterIPOf(service, family);
  if (clusterIP === undefined) return [];
  const shared = sharedOf(service, family, { clusterIP, ...gates });
  const ports = new Map<string, ServicePort>();
  for (const port of service.ports) ports.set(portKey(port.name, port.protocol), servicePortOf(service, port, shared));
  return [...ports.values()].sort((a, b) => compareNames(a.name, b.name));
}

/** Do both mean the same to the kernel? */
export function sameServicePort(a: ServicePort, b: ServicePort): boolean {
  return sameIdentity(a, b) && sameAddresses(a, b) && sameBehaviour(a, b);
}

function clusterIPOf(service: Service, family: Family): string | undefined {
  if (service.foreignProxy || service.type === "ExternalName") return undefined;
  if (service.clusterIP === "" || service.clusterIP === "None") return undefined;
  if (service.ipFamilies.length > 0) return service.clusterIPs[service.ipFamilies.indexOf(family)];
  return familyOf(service.clusterIP) === family ? service.clusterIP : undefined;
}

function sharedOf(service: Service, family: Family, given: Gates & { clusterIP: string }): Shared {
  const ofFamily = (address: string) => familyOf(address) === family;
  const externalIPs = lean(service.externalIPs.filter(ofFamily));
  const loadBalancerVIPs = lean(service.ingressVIPs.filter(ofFamily));
  const externalPolicyLocal = service.externalTrafficPolicy === "Local" && accessibleBySpec(service);
  return {
    clusterIP: given.clusterIP,
    externalIPs: given.allowServiceExternalIPs ? externalIPs : lean([]),
    loadBalancerVIPs,
    sourceRanges: sourceRangesOf(service.sourceRanges, family),
    affinitySeconds: service.affinitySeconds,
    externalPolicyLocal,
    internalPolicyLocal: service.internalTrafficPolicy === "Local",
    healthCheckNodePort: externalPolicyLocal && service.type === "LoadBalancer" ? service.healthCheckNodePort : 0,
    hasOutsideAddress: externalIPs.length > 0 || loadBalancerVIPs.length > 0,
  };
}

function servicePortOf(service: Service, port: ApiServicePort, shared: Shared): ServicePort {
  const { hasOutsideAddress, ...rest } = shared;
  const name = { namespace: service.namespace, name: service.name, port: port.name, protocol: port.protocol };
  const reachableFromOutside = port.nodePort !== 0 || hasOutsideAddress;
  return {
    name,
    text: printName(name),
    protocol: port.protocol,
    port: port.port,
    nodePort: port.nodePort,
    ...rest,
    reachableFromOutside,
    // Clients inside the cluster are served cluster-wide at outside addresses, whatever the policies.
    usesCluster: !rest.internalPolicyLocal || reachableFromOutside,
    usesLocal: rest.internalPolicyLocal || (rest.externalPolicyLocal && reachableFromOutside),
  };
}

// External IPs of the other family count too: a ClusterIP Service is accessible in both families or in none. As in
// `ExternallyAccessible` of pkg/proxy/util, a type that is not known is not.
function accessibleBySpec({ type, externalIPs }: Service): boolean {
  return type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && externalIPs.length > 0);
}

// Ranges of the other family alone leave this one open, as in kube-proxy. A list of which nothing could be read does
// not: opening a VIP because of a typing mistake would be the worse surprise.
function sourceRangesOf(ranges: SourceRanges, family: Family): SourceRanges {
  if (ranges === "everyone" || ranges.length === 0) return ranges;
  const own = ranges.filter((range) => familyOf(range) === family);
  return own.length === 0 || own.some((range) => range.endsWith("/0")) ? "everyone" : own;
}

function sameIdentity(a: ServicePort, b: ServicePort): boolean {
  return a.text === b.text && a.protocol === b.protocol && a.clusterIP === b.clusterIP && a.port === b.port;
}

function sameAddresses(a: ServicePort, b: ServicePort): boolean {
  return (
    a.nodePort === b.nodePort &&
    sameList(a.externalIPs, b.externalIPs) &&
    sameList(a.loadBalancerVIPs, b.loadBalancerVIPs) &&
    sameRanges(a.sourceRanges, b.sourceRanges)
  );
}

function sameRanges(a: SourceRanges, b: SourceRanges): boolean {
  return a === "everyone" || b === "everyone" ? a === b : sameList(a, b);
}

function sameBehaviour(a: ServicePort, b: ServicePort): boolean {
  return (
    a.affinitySeconds === b.affinitySeconds &&
    a.externalPolicyLocal === b.externalPolicyLocal &&
    a.internalPolicyLocal === b.internalPolicyLocal &&
    a.healthCheckNodePort === b.healthCheckNodePort &&
    a.reachableFromOutside === b.reachableFromOutside
  );
}
