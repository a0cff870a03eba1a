// For which load balancer VIPs does filter KUBE-PROXY-FIREWALL ask who comes?
import type { Rule } from "../../../state/kernel-state.ts";
import { type Context, rulesWhereFilled } from "../context.ts";

export function kubeProxyFirewall(context: Context): readonly Rule[] {
  return rulesWhereFilled(context, "filter/KUBE-PROXY-FIREWALL")("LOAD-BALANCER-FW", "restricted");
}
