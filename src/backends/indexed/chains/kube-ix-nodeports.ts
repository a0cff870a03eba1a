// Which rules of filter KUBE-IX-NODEPORTS refuse the nodePort that nothing serves?
import type { Rule } from "../../../state/kernel-state.ts";
import { rejectWith } from "../../iptables/chains/reject-with.ts";
import type { Context } from "../../iptables/context.ts";

const CHAIN = "filter/KUBE-IX-NODEPORTS";

export function kubeIxNodePorts({ fill, service, protocol, settings, traffic }: Context): readonly Rule[] {
  const { nodePort } = traffic.servicePort;
  const { verdict } = traffic.external;
  if (verdict === "forward" || nodePort === 0) return [];
  const words = { service, protocol, port: String(nodePort), ...rejectWith(verdict, settings.family) };
  return [fill(CHAIN, verdict, words)];
}
