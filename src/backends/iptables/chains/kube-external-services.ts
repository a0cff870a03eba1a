// Which rules of filter KUBE-EXTERNAL-SERVICES refuse the external addresses and the nodePort that nothing serves?
import { single } from "../../../net/address.ts";
import type { Rule } from "../../../state/kernel-state.ts";
import type { Context } from "../context.ts";
import { rejectWith } from "./reject-with.ts";

const CHAIN = "filter/KUBE-EXTERNAL-SERVICES";

export function kubeExternalServices(context: Context): readonly Rule[] {
  return [...externalAddresses(context), ...nodePort(context)];
}

/** Those of external IPs and load balancer VIPs alone. */
export function externalAddresses({ fill, service, protocol, settings, traffic }: Context): readonly Rule[] {
  const { externalIPs, loadBalancerVIPs, port } = traffic.servicePort;
  const { verdict } = traffic.external;
  if (verdict === "forward") return [];
  const words = { service, protocol, port: String(port), ...rejectWith(verdict, settings.family) };
  return [...externalIPs, ...loadBalancerVIPs].map((address) =>
    fill(CHAIN, verdict, { ...words, address: single(address) }),
  );
}

function nodePort({ fill, service, protocol, settings, traffic }: Context): readonly Rule[] {
  const { nodePort: port } = traffic.servicePort;
  const { verdict } = traffic.external;
  if (verdict === "forward" || port === 0) return [];
  const words = { service, protocol, port: String(port), ...rejectWith(verdict, settings.family) };
  return [fill(CHAIN, `${verdict}-nodeport`, words)];
}
