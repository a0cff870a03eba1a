// Which ports of load balancer VIPs does filter KUBE-IPVS-OUT-FILTER close to the node itself?
import type { ServiceTraffic } from "../../../model/traffic.ts";
import { kernelText, single } from "../../../net/address.ts";
import { PROTOCOL_NUMBERS, type Protocol } from "../../../net/protocol.ts";
import type { Rule } from "../../../state/kernel-state.ts";
import type { FillFrom } from "../../fill.ts";
import { admitsNode } from "../source-ranges.ts";

/** One port of a VIP that the node may not come to. */
export interface ClosedPort {
  readonly vip: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** Those of one ServicePort: none, or one for each of its VIPs. */
export function closedPorts({ servicePort }: ServiceTraffic, nodeIP: string): readonly ClosedPort[] {
  if (admitsNode(servicePort, nodeIP)) return [];
  const { loadBalancerVIPs, protocol, port } = servicePort;
  return loadBalancerVIPs.map((vip) => ({ vip, protocol, port }));
}

/** kube-proxy leaves the order to chance. */
export function byPlace(a: ClosedPort, b: ClosedPort): number {
  if (a.vip !== b.vip) return a.vip < b.vip ? -1 : 1;
  return PROTOCOL_NUMBERS[a.protocol] - PROTOCOL_NUMBERS[b.protocol] || a.port - b.port;
}

export function kubeIpvsOutFilter(fill: FillFrom, closed: readonly ClosedPort[]): readonly Rule[] {
  return closed.map(({ vip, protocol, port }) =>
    fill("filter/KUBE-IPVS-OUT-FILTER", "closed", {
      address: single(vip),
      vip: kernelText(vip),
      "protocol.number": String(PROTOCOL_NUMBERS[protocol]),
      port: String(port),
    }),
  );
}
