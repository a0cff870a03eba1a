// Finds the Service that a packet is sent to and explains its traffic policies.

import type { Endpoint } from "../../model/endpoint.ts";
import type { ServicePort } from "../../model/service-port.ts";
import type { Answer, ServiceTraffic } from "../../model/traffic.ts";
import type { World } from "../../model/world.ts";
import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import type { Packet } from "../../trace/packet.ts";

/** By which of its addresses a Service is asked. */
type Entrance = "cluster IP" | "external IP" | "load balancer address" | "nodePort";

export interface FoundService {
  readonly traffic: ServiceTraffic;
  readonly entrance: Entrance;
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
    const entrance = servicePort.port === destinationPort ? entranceAt(servicePort, destination) : undefined;
    if (entrance !== undefined) return { traffic, entrance };
    if (answers && servicePort.nodePort !== 0 && servicePort.nodePort === destinationPort) byNodePort ??= traffic;
  }
  return byNodePort && { traffic: byNodePort, entrance: "nodePort" };
}

function entranceAt(servicePort: ServicePort, address: string): Entrance | undefined {
  if (servicePort.clusterIP === address) return "cluster IP";
  if (servicePort.externalIPs.includes(address)) return "external IP";
  return servicePort.loadBalancerVIPs.includes(address) ? "load balancer address" : undefined;
}

/** In sentences, one a line. */
export function explainService({ traffic, entrance }: FoundService): readonly string[] {
  const { servicePort, internal, external } = traffic;
  const inside = entrance === "cluster IP";
  const policy = inside ? "internalTrafficPolicy" : "externalTrafficPolicy";
  return [
    ...explainAnswer(policy, inside ? internal : external, traffic),
    ...(!inside && servicePort.externalPolicyLocal ? [SHORT_CUT] : []),
    ...explainRanges(servicePort, entrance),
    ...explainAffinity(servicePort),
  ];
}

const SHORT_CUT = "this cluster's pods and the node itself are served by all endpoints, whatever that policy says";

function explainAnswer(policy: string, { verdict, endpoints }: Answer, traffic: ServiceTraffic): readonly string[] {
  const { cluster, local, known } = traffic;
  const isLocal = endpoints === "local";
  const named = `${policy} ${isLocal ? "Local" : "Cluster"}`;
  if (verdict === "reject") return [`no endpoint can take a connection (${known} known): it is rejected`];
  if (verdict === "drop")
    return [`${named}: only endpoints on this node may serve it, and there are none: it is dropped`];
  const used = isLocal ? local : cluster;
  const where = isLocal ? "only those on this node" : "on whatever node";
  return [`${named}: ${used.length} of ${known} known endpoints serve it, ${where}`, ...whyFewer(used, known)];
}

function whyFewer(used: readonly Endpoint[], known: number): readonly string[] {
  const draining = used.filter(({ ready }) => !ready).length;
  if (draining > 0) return ["none is ready, so those that end but still serve are used"];
  return used.length < known ? ["the others are not ready, or stand elsewhere than policy or hints ask"] : [];
}

function explainRanges({ sourceRanges }: ServicePort, entrance: Entrance): readonly string[] {
  if (entrance !== "load balancer address" || sourceRanges === "everyone") return [];
  const from = sourceRanges.length === 0 ? "nobody" : sourceRanges.join(", ");
  return [`loadBalancerSourceRanges: only ${from} may come here`];
}

function explainAffinity({ affinitySeconds }: ServicePort): readonly string[] {
  if (affinitySeconds === 0) return [];
  return [`sessionAffinity ClientIP: a client stays with its endpoint for ${affinitySeconds} s; this one is new`];
}
