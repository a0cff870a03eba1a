// Which rules of KUBE-NODEPORTS belong to a ServicePort: its nodePort in nat, its health check port in filter?
import type { Rule } from "../../../state/kernel-state.ts";
import { type Context, hasExt } from "../context.ts";

const CHAIN = "nat/KUBE-NODEPORTS";

export function kubeNodePorts({ fill, names, service, protocol, settings, traffic }: Context): readonly Rule[] {
  const { nodePort } = traffic.servicePort;
  if (nodePort === 0 || !hasExt(traffic)) return [];
  const words = { service, protocol, port: String(nodePort), target: names.ext };
  const counted = settings.localhostNodePorts && settings.counters.localhostNodePorts;
  return [...(counted ? [fill(CHAIN, "nodeport-localhost-counted", words)] : []), fill(CHAIN, "nodeport", words)];
}

/** The health check port is open whatever the endpoints are: a closed port would look like a broken node. */
export function healthCheckPort({ fill, service, traffic }: Context): readonly Rule[] {
  const { healthCheckNodePort } = traffic.servicePort;
  if (healthCheckNodePort === 0) return [];
  return [fill("filter/KUBE-NODEPORTS", "health-check", { service, port: String(healthCheckNodePort) })];
}
