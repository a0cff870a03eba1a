import type { Protocol } from "../net/protocol.ts";
import type { ServicePortName } from "./names.ts";

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
