// Which rules of filter KUBE-EXTERNAL-SERVICES refuse the external addresses and the nodePort that nothing serves?
import { single } from "../../../net/address.ts";
import type { Rule } from "../../../state/kernel-state.ts";
import type { Context } from "../context.ts";
import { rejectWith } from "./reject-with.ts";

const CHAIN = "filter/KUBE-EXTERNAL-SERVICES";

export function kubeExternalServices({ fill, service, protocol, settings, traffic }: Context): readonly Rule[] {
  const { externalIPs, loadBalancerVIPs, port, nodePort } = traffic.servicePort;
  const { verdict } = traffic.external;
  if (verdict === "forward") return [];
  const words = { service, protocol, ...rejectWith(verdict, settings.family) };
  const rules = [...externalIPs, ...loadBalancerVIPs].map((address) =>
    fill(CHAIN, verdict, { ...words, address: single(address), port: String(port) }),
  );
  if (nodePort !== 0) rules.push(fill(CHAIN, `${verdict}-nodeport`, { ...words, port: String(nodePort) }));
  return rules;
}
