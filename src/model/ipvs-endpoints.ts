// Selects the endpoints behind an address of a ServicePort in IPVS mode.
import type { Endpoint } from "./endpoint.ts";
import type { ServiceTraffic } from "./traffic.ts";

/**
 * The endpoints for traffic to the cluster IP (`internal`), or to all other addresses. As in kube-proxy's IPVS mode, and
 * unlike iptables mode, a Local policy without an endpoint on this node falls back to those of the whole cluster, which
 * are none where the ServicePort never uses them.
 */
export function endpointsBehind(traffic: ServiceTraffic, kind: "internal" | "external"): readonly Endpoint[] {
  const { cluster, local } = traffic;
  return traffic[kind].endpoints === "local" && local.length > 0 ? local : cluster;
}
