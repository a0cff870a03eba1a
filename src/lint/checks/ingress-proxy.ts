// Which addresses of a load balancer do nodes leave alone?
import type { ServiceCheck } from "../check.ts";

/** Any mode but VIP says that the load balancer wants to see all traffic itself. */
export const ingressProxy: ServiceCheck = {
  id: "ingress-proxy",
  severity: "warning",
  *find({ manifest, ports }) {
    if (ports.length === 0) return;
    for (const [index, { address, mode }] of manifest.ingress.entries()) {
      if (address === "" || mode === "VIP") continue;
      yield {
        field: `status.loadBalancer.ingress[${index}].ipMode`,
        message: `the mode of ${address} is not VIP`,
        consequence: `no rule is written for ${address}: pods and nodes reach it through the load balancer only`,
      };
    }
  },
};
