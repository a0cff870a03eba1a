// Counts what has a Local traffic policy and no endpoint on this node, for `sync_proxy_rules_no_local_endpoints_total`.
import { mapPages, type Page, type PagedList } from "../paged-list.ts";
import type { KnownService } from "./known-service.ts";
import type { ServiceTraffic } from "./traffic.ts";
import type { KnownWorld } from "./world.ts";

/** By the traffic policy that is Local. */
export interface WithoutLocal {
  readonly internal: number;
  readonly external: number;
}

/**
 * ServicePorts in iptables mode, Services in IPVS mode, as in kube-proxy: those with a Local policy and usable endpoints
 * somewhere, yet none on this node.
 */
export function withoutLocalEndpoints(
  world: Pick<KnownWorld, "services" | "known"> & { readonly viewpoint: Pick<KnownWorld["viewpoint"], "ipvs"> },
): WithoutLocal {
  const counts = world.viewpoint.ipvs ? countServices(world.known) : countPorts(world.services);
  const sum = { internal: 0, external: 0 };
  for (const { internal, external } of counts) {
    sum.internal += internal;
    sum.external += external;
  }
  return sum;
}

const PORTS = new WeakMap<Page<ServiceTraffic>, Page<WithoutLocal>>();
const SERVICES = new WeakMap<Page<KnownService>, Page<WithoutLocal>>();

/** The external policy counts also where nothing of the Service can be reached from outside. */
function countPorts(services: PagedList<ServiceTraffic>): Iterable<WithoutLocal> {
  return mapPages(services, PORTS, (page) => {
    const dropped = (kind: "internal" | "external") => page.filter((one) => one[kind].verdict === "drop").length;
    return [{ internal: dropped("internal"), external: dropped("external") }];
  });
}

/**
 * A virtual server of a Local policy without local endpoints counts under each policy of its Service that is Local. So
 * an external policy alone counts only where there is a virtual server for it.
 */
function countServices(services: PagedList<KnownService>): Iterable<WithoutLocal> {
  return mapPages(services, SERVICES, (page) => {
    const without = page.map(({ ports }) => ports.map(({ traffic }) => traffic).filter(lacksLocal));
    const count = (kind: "internal" | "external") =>
      without.filter((ports) => ports.some((traffic) => traffic[kind].verdict === "drop")).length;
    return [{ internal: count("internal"), external: count("external") }];
  });
}

function lacksLocal({ servicePort, internal, external }: ServiceTraffic): boolean {
  const { externalIPs, loadBalancerVIPs, nodePort } = servicePort;
  const isOutside = externalIPs.length > 0 || loadBalancerVIPs.length > 0 || nodePort > 0;
  return internal.verdict === "drop" || (external.verdict === "drop" && isOutside);
}
