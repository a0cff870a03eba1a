// Which health check ports are useless, or missing?
import type { ServiceCheck } from "../check.ts";

export const healthPort: ServiceCheck = {
  id: "health-port",
  severity: "warning",
  *find({ service, ports }) {
    if (ports.length === 0) return;
    const field = "spec.healthCheckNodePort";
    const wanted = service.type === "LoadBalancer" && service.externalTrafficPolicy === "Local";
    if (wanted && service.healthCheckNodePort === 0) {
      const message = "externalTrafficPolicy is Local, and there is no health check port";
      yield { field, message, consequence: "no load balancer can ask a node whether it has endpoints" };
    }
    if (!wanted && service.healthCheckNodePort !== 0) {
      const message = "it counts only for type LoadBalancer with externalTrafficPolicy Local";
      yield { field, message, consequence: `no node answers health checks at port ${service.healthCheckNodePort}` };
    }
  },
};
