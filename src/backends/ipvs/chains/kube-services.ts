// Which packets to addresses of Services does nat KUBE-SERVICES have masqueraded?
import type { Settings } from "../../../model/settings.ts";
import type { Rule } from "../../../state/kernel-state.ts";
import type { Words } from "../../words.ts";
import { type Context, rulesWhereFilled } from "../context.ts";
import { setName } from "../sets.ts";

const CHAIN = "nat/KUBE-SERVICES";

export function kubeServices(context: Context): readonly Rule[] {
  const { fill, settings } = context;
  const filled = rulesWhereFilled(context, CHAIN);
  return [
    fill(CHAIN, "loopback", { loopback: settings.family === "IPv4" ? "127.0.0.0/8" : "::1/128" }),
    ...filled("LOAD-BALANCER", "load-balancer"),
    ...(context.filled.has("CLUSTER-IP") ? clusterIP(context) : []),
    ...filled("EXTERNAL-IP", "external-ip", "external-ip-from-outside", "external-ip-here"),
    ...filled("EXTERNAL-IP-LOCAL", "external-ip-local-from-outside", "external-ip-local-here"),
    fill(CHAIN, "node-ports"),
    ...filled("CLUSTER-IP", "cluster-ip-end"),
    ...filled("LOAD-BALANCER", "load-balancer-end"),
  ];
}

/** One rule at most: the kind of traffic whose answers would not find back. */
function clusterIP({ fill, settings }: Context): readonly Rule[] {
  const set = setName("CLUSTER-IP", settings.family);
  return masquerade(settings).map(({ heading, words }) => fill(CHAIN, heading, { set, ...words }));
}

interface Variant {
  readonly heading: string;
  readonly words?: Words;
}

function masquerade({ masqueradeAll, localTraffic }: Settings): readonly Variant[] {
  if (masqueradeAll) return [{ heading: "cluster-ip-all" }];
  if (!localTraffic) return [{ heading: "cluster-ip-from-node" }];
  if (localTraffic.kind === "interface") {
    return [{ heading: "cluster-ip-not-from-interface", words: { interface: localTraffic.interface } }];
  }
  // No packet is outside of a range that holds every address, and iptables-nft refuses a rule that asks for one.
  if (localTraffic.cidr.endsWith("/0")) return [];
  return [{ heading: "cluster-ip-not-from-pods", words: { pods: localTraffic.cidr } }];
}
