// Whom does filter KUBE-SOURCE-RANGES-FIREWALL admit to a load balancer VIP?
import type { Rule } from "../../../state/kernel-state.ts";
import { type Context, rulesWhereFilled } from "../context.ts";

const CHAIN = "filter/KUBE-SOURCE-RANGES-FIREWALL";

export function kubeSourceRangesFirewall(context: Context): readonly Rule[] {
  const filled = rulesWhereFilled(context, CHAIN);
  return [
    ...filled("LOAD-BALANCER-SOURCE-CIDR", "source"),
    ...filled("LOAD-BALANCER-SOURCE-IP", "node"),
    context.fill(CHAIN, "rest"),
  ];
}
