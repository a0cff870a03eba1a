// Which packets to load balancer VIPs does nat KUBE-LOAD-BALANCER have masqueraded?
import type { Rule } from "../../../state/kernel-state.ts";
import { type Context, rulesWhereFilled } from "../context.ts";

const CHAIN = "nat/KUBE-LOAD-BALANCER";

export function kubeLoadBalancer(context: Context): readonly Rule[] {
  return [...rulesWhereFilled(context, CHAIN)("LOAD-BALANCER-LOCAL", "local"), context.fill(CHAIN, "masquerade")];
}
