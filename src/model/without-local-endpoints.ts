// How many ServicePorts answer to nobody on this node, for want of local endpoints?
import { mapPages, type Page } from "../paged-list.ts";
import type { ServiceTraffic } from "./traffic.ts";
import type { World } from "./world.ts";

/** ServicePorts by the traffic that is dropped. */
export interface WithoutLocal {
  readonly internal: number;
  readonly external: number;
}

/**
 * ServicePorts with a Local policy and usable endpoints somewhere, yet none on this node: what kube-proxy's iptables
 * mode counts for `sync_proxy_rules_no_local_endpoints_total`. As there, the external policy counts also where nothing
 * of the Service can be reached from outside.
 */
export function withoutLocalEndpoints({ services }: Pick<World, "services">): WithoutLocal {
  const sum = { internal: 0, external: 0 };
  for (const { internal, external } of mapPages(services, remembered, (page) => [countDropped(page)])) {
    sum.internal += internal;
    sum.external += external;
  }
  return sum;
}

const remembered = new WeakMap<Page<ServiceTraffic>, Page<WithoutLocal>>();

function countDropped(page: Page<ServiceTraffic>): WithoutLocal {
  const dropped = (kind: "internal" | "external") => page.filter((traffic) => traffic[kind].verdict === "drop").length;
  return { internal: dropped("internal"), external: dropped("external") };
}
