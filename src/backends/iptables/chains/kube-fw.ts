// Whom does KUBE-FW admit to the load balancer VIPs of a ServicePort?
import { single } from "../../../net/address.ts";
import { cidrContains } from "../../../net/cidr.ts";
import type { Chain } from "../../../state/kernel-state.ts";
import { type Context, hasFw, ours } from "../context.ts";

const CHAIN = "nat/KUBE-FW";

export function kubeFw({ fill, names, service, settings, traffic }: Context): Chain | undefined {
  const { sourceRanges, loadBalancerVIPs } = traffic.servicePort;
  if (!hasFw(traffic) || sourceRanges === "everyone") return undefined;
  const chain = names.fw;
  // A process on the node that asks the VIP may have the VIP itself as its source, where the VIP is on an interface.
  const nodeAdmitted = sourceRanges.some((range) => cidrContains(range, settings.nodeIP));
  const sources = nodeAdmitted ? [...sourceRanges, ...loadBalancerVIPs.map(single)] : sourceRanges;
  const admit = sources.map((range) => fill(CHAIN, "source", { chain, service, range, target: names.ext }));
  return ours(chain, [...admit, fill(CHAIN, "rest", { chain, service })]);
}
