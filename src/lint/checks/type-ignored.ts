// Which fields count though the Service's type has no use for them?
import type { ServiceCheck } from "../check.ts";
import { portField } from "../words.ts";

/** As in kube-proxy, rules go by the fields, not by the type. */
export const typeIgnored: ServiceCheck = {
  id: "type-ignored",
  severity: "warning",
  *find({ service, ports }) {
    const message = `the type is ${service.type}`;
    const numbers = new Map(ports.map((port) => [port.traffic.servicePort.nodePort, port]));
    if (service.type === "ClusterIP") {
      for (const [nodePort, port] of numbers) {
        const consequence = `nodes answer at node port ${nodePort} all the same`;
        if (nodePort !== 0) yield { field: portField(port, "nodePort"), message, consequence };
      }
    }
    if (service.type === "LoadBalancer" || ports.length === 0 || service.ingressVIPs.length === 0) return;
    const consequence = `nodes answer at ${service.ingressVIPs.join(", ")} all the same`;
    yield { field: "status.loadBalancer.ingress", message, consequence };
  },
};
