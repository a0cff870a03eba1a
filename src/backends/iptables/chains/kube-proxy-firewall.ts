// Which rules of filter KUBE-PROXY-FIREWALL drop what a load balancer VIP does not admit?
import { single } from "../../../net/address.ts";
import type { Rule } from "../../../state/kernel-state.ts";
import { type Context, hasFw } from "../context.ts";

export function kubeProxyFirewall(context: Context): readonly Rule[] {
  const { fill, service, protocol, traffic } = context;
  if (!hasFw(traffic)) return [];
  const { loadBalancerVIPs, port } = traffic.servicePort;
  const words = { service, protocol, firewall: context.names.fw, port: String(port) };
  return loadBalancerVIPs.map((vip) => fill("filter/KUBE-PROXY-FIREWALL", "drop", { ...words, address: single(vip) }));
}
