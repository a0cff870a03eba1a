// To what does filter KUBE-IPVS-FILTER let packets to addresses of Services?
import type { Rule } from "../../../state/kernel-state.ts";
import { type Context, rulesOf } from "../context.ts";
import { setName } from "../sets.ts";

const CHAIN = "filter/KUBE-IPVS-FILTER";

/** The rules are there whether their sets have entries or not. */
export function kubeIpvsFilter(context: Context): readonly Rule[] {
  const { fill, settings } = context;
  const rules = rulesOf(context, CHAIN);
  const reject = settings.family === "IPv4" ? "icmp-port-unreachable" : "icmp6-port-unreachable";
  return [
    ...rules("LOAD-BALANCER", "load-balancer"),
    ...rules("CLUSTER-IP", "cluster-ip"),
    ...rules("EXTERNAL-IP", "external-ip"),
    ...rules("EXTERNAL-IP-LOCAL", "external-ip-local"),
    ...rules("HEALTH-CHECK-NODE-PORT", "health-check"),
    fill(CHAIN, "rest", { set: setName("IPVS-IPS", settings.family), reject }),
  ];
}
