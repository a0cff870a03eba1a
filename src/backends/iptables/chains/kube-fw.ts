// Whom does KUBE-FW admit to the load balancer VIPs of a ServicePort?
import { single } from "../../../net/address.ts";
import { cidrContains } from "../../../net/cidr.ts";
import type { Chain, Rule } from "../../../state/kernel-state.ts";
import { type Context, hasFw, writtenWhenAsked } from "../context.ts";

const CHAIN = "nat/KUBE-FW";

export function kubeFw(context: Context): Chain | undefined {
  const { sourceRanges } = context.traffic.servicePort;
  if (!hasFw(context.traffic) || sourceRanges === "everyone") return undefined;
  return writtenWhenAsked(context.names.fw, () => rulesOf(context, sourceRanges));
}

function rulesOf({ fill, names, service, settings, traffic }: Context, ranges: readonly string[]): readonly Rule[] {
  const words = { chain: names.fw, service };
  // A process on the node that asks the VIP may have the VIP itself as its source, where the VIP is on an interface.
  const nodeAdmitted = ranges.some((range) => cidrContains(range, settings.nodeIP));
  const sources = nodeAdmitted ? [...ranges, ...traffic.servicePort.loadBalancerVIPs.map(single)] : ranges;
  const admit = sources.map((range) => fill(CHAIN, "source", { ...words, range, target: names.ext }));
  return [...admit, fill(CHAIN, "rest", words)];
}
