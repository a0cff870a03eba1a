// Finds the Service that a packet is sent to and explains its traffic policies.

import type { Endpoint } from "../../model/endpoint.ts";
import type { ServicePort } from "../../model/service-port.ts";
import type { Answer, ServiceTraffic } from "../../model/traffic.ts";
import type { World } from "../../model/world.ts";
import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import type { Packet } from "../../trace/packet.ts";

/** By which of its addresses a Service is asked. */
type ServiceAddressKind = "cluster IP" | "external IP" | "load balancer address" | "nodePort";

export interface FoundService {
  readonly traffic: ServiceTraffic;
  readonly addressKind: ServiceAddressKind;
}

/** Undefined where the packet is for no Service. Of two that claim the same, the first, by name. */
export function findService(
  { services, nodePortAddresses }: World,
  { protocol, destination, destinationPort }: Packet,
  isLocal: (address: string) => boolean,
): FoundService | undefined {
  const answers = nodePortAddresses === "all" ? isLocal(destination) : nodePortAddresses.includes(destination);
  let byNodePort: ServiceTraffic | undefined;
  for (const traffic of services) {
    const { servicePort } = traffic;
    if (PROTOCOL_NUMBERS[servicePort.protocol] !== protocol) continue;
    const addressKind = servicePort.port === destinationPort ? addressKindOf(servicePort, destination) : undefined;
    if (addressKind !== undefined) return { traffic, addressKind };
    if (answers && servicePort.nodePort !== 0 && servicePort.nodePort === destinationPort) byNodePort ??= traffic;
  }
  return byNodePort && { traffic: byNodePort, addressKind: "nodePort" };
}

function addressKindOf(servicePort: ServicePort, address: string): ServiceAddressKind | undefined {
  if (servicePort.clusterIP === address) return "cluster IP";
  if (servicePort.externalIPs.includes(address)) return "external IP";
  return servicePort.loadBalancerVIPs.includes(address) ? "load balancer address" : undefined;
}

/** In sentences, one a line. */
export function explainService({ traffic, addressKind }: FoundService): readonly string[] {
  const { servicePort, internal, external } = traffic;
  const inside = addressKind === "cluster IP";
  const policy = inside ? "internalTrafficPolicy" : "externalTrafficPolicy";
  return [
    ...explainPolicy(policy, inside ? internal : external, traffic),
    ...(!inside && servicePort.externalPolicyLocal ? [LOCAL_SHORTCUT] : []),
    ...explainRanges(servicePort, addressKind),
    ...explainAffinity(servicePort),
  ];
}

const LOCAL_SHORTCUT = "pods of this cluster and the node itself use all endpoints, regardless of this policy";

function explainPolicy(policy: string, { verdict, endpoints }: Answer, traffic: ServiceTraffic): readonly string[] {
  const { cluster, local, known } = traffic;
  const isLocal = endpoints === "local";
  const named = `${policy} ${isLocal ? "Local" : "Cluster"}`;
  if (verdict === "reject") return [`no usable endpoint (${known} known): rejected`];
  if (verdict === "drop") return [`${named}: only endpoints on this node are used, and there are none: dropped`];
  const used = isLocal ? local : cluster;
  const where = isLocal ? "only those on this node" : "on any node";
  return [`${named}: ${used.length} of ${known} known endpoints are used, ${where}`, ...whyFewer(used, known)];
}

function whyFewer(used: readonly Endpoint[], known: number): readonly string[] {
  const draining = used.filter(({ ready }) => !ready).length;
  if (draining > 0) return ["no endpoint is ready, so terminating endpoints that still serve are used"];
  return used.length < known ? ["the others are not ready, or excluded by the traffic policy or topology hints"] : [];
}

function explainRanges({ sourceRanges }: ServicePort, addressKind: ServiceAddressKind): readonly string[] {
  if (addressKind !== "load balancer address" || sourceRanges === "everyone") return [];
  const from = sourceRanges.length === 0 ? "no client" : sourceRanges.join(", ");
  return [`loadBalancerSourceRanges: allows only ${from}`];
}

function explainAffinity({ affinitySeconds }: ServicePort): readonly string[] {
  if (affinitySeconds === 0) return [];
  return [`sessionAffinity ClientIP: a client keeps its endpoint for ${affinitySeconds} s; this client is new`];
}
