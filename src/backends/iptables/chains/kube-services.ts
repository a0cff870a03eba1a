// Which rules of nat KUBE-SERVICES lead to a ServicePort, and which stand behind those of all?

import type { World } from "../../../model/world.ts";
import { single } from "../../../net/address.ts";
import type { Rule } from "../../../state/kernel-state.ts";
import type { FillFrom } from "../../fill.ts";
import { type Context, hasExt, hasFw } from "../context.ts";

const CHAIN = "nat/KUBE-SERVICES";

/** One rule for each address that is served: cluster IP, external IPs, load balancer VIPs. */
export function kubeServices(context: Context): readonly Rule[] {
  const { fill, names, service, protocol, traffic } = context;
  const { servicePort, internal } = traffic;
  const rule = (heading: string, address: string, target: string) =>
    fill(CHAIN, heading, { service, protocol, target, address: single(address), port: String(servicePort.port) });
  const rules: Rule[] = [];
  if (internal.verdict === "forward") {
    rules.push(rule("cluster-ip", servicePort.clusterIP, internal.endpoints === "local" ? names.svl : names.svc));
  }
  if (!hasExt(traffic)) return rules;
  for (const ip of servicePort.externalIPs) rules.push(rule("external-ip", ip, names.ext));
  const entry = hasFw(traffic) ? names.fw : names.ext;
  for (const vip of servicePort.loadBalancerVIPs) rules.push(rule("load-balancer-ip", vip, entry));
  return rules;
}

/** The way to the nodePorts, behind the rules of every Service. */
export function nodePortDispatch(fill: FillFrom, { settings, nodePortAddresses }: World): readonly Rule[] {
  if (nodePortAddresses !== "all") {
    return nodePortAddresses.map((address) => fill(CHAIN, "nodeports-address", { address: single(address) }));
  }
  if (settings.localhostNodePorts) return [fill(CHAIN, "nodeports")];
  const loopback = settings.family === "IPv4" ? "127.0.0.0/8" : "::1/128";
  return [fill(CHAIN, "nodeports-not-loopback", { loopback })];
}
