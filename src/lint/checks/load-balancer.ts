// Checks for load balancer addresses and health check ports that nodes do not serve.
import type { Check, ServiceCheck } from "../finding.ts";

const healthPort: ServiceCheck = {
  id: "health-port",
  severity: "warning",
  *checkService({ service, ports }) {
    if (ports.length === 0) return;
    const field = "spec.healthCheckNodePort";
    const isUsed = service.type === "LoadBalancer" && service.externalTrafficPolicy === "Local";
    if (isUsed && service.healthCheckNodePort === 0) {
      yield {
        ...{ field, message: "externalTrafficPolicy is Local, but there is no health check port" },
        consequence: "the load balancer cannot find out which nodes have endpoints",
        remedy: "set the field; the API server allocates a port when it creates the Service",
      };
    }
    if (!isUsed && service.healthCheckNodePort !== 0) {
      yield {
        ...{ field, message: "the field is used only with type LoadBalancer and externalTrafficPolicy Local" },
        consequence: `nodes do not answer health checks on port ${service.healthCheckNodePort}`,
        remedy: "remove the field",
      };
    }
  },
};

/** KEP-1860: with ipMode Proxy, all traffic passes through the load balancer. */
const ingressProxy: ServiceCheck = {
  id: "ingress-proxy",
  severity: "warning",
  *checkService({ manifest, ports }) {
    if (ports.length === 0) return;
    for (const [index, { address, mode }] of manifest.ingress.entries()) {
      if (address === "" || mode === "VIP") continue;
      yield {
        field: `status.loadBalancer.ingress[${index}].ipMode`,
        message: `ipMode of ${address} is not VIP`,
        consequence: `no rules are created for ${address}: pods and nodes reach it only through the load balancer`,
        remedy: "none needed if the load balancer requires it; otherwise set ipMode to VIP",
      };
    }
  },
};

export const loadBalancerChecks: readonly Check[] = [healthPort, ingressProxy];
