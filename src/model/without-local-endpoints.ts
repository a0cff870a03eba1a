// How many ServicePorts answer to nobody on this node, for want of local endpoints?
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
  let internal = 0;
  let external = 0;
  for (const traffic of services) {
    if (traffic.internal.verdict === "drop") internal += 1;
    if (traffic.external.verdict === "drop") external += 1;
  }
  return { internal, external };
}
