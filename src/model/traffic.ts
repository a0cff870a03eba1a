import type { Endpoint } from "./endpoint.ts";
import type { ServicePort } from "./service-port.ts";

/** What happens to a new connection to an address of a kind. */
export type Verdict = "forward" | "reject" | "drop";

/** One ServicePort with every decision already made. */
export interface ServiceTraffic {
  readonly servicePort: ServicePort;
  /** Endpoints for the Cluster policy; sorted by `ip:port`. */
  readonly cluster: readonly Endpoint[];
  /** Endpoints for the Local policy, all on this node; sorted. */
  readonly local: readonly Endpoint[];
  /** Every endpoint that this node may send to in either way; sorted. */
  readonly reachable: readonly Endpoint[];
  /** Is there a usable endpoint anywhere in the cluster? Tells `has no endpoints` from `has no local endpoints`. */
  readonly usable: boolean;
  /** Traffic to the cluster IP. `endpoints` says which list serves it. */
  readonly internal: { readonly verdict: Verdict; readonly endpoints: "cluster" | "local" };
  /** Traffic from outside to external IPs, load balancer VIPs and nodePorts. */
  readonly external: { readonly verdict: Verdict; readonly endpoints: "cluster" | "local" };
  /** All endpoints known for this port, usable or not: counted for the limit of 1000. */
  readonly known: number;
}
