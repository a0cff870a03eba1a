// Which health check ports does somebody else have?
import { printObject } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";
import { nameOf } from "../cluster.ts";

const CONSEQUENCES = {
  "node port": "the load balancer's health checks go to that Service's endpoints",
  "health check port": "the load balancer's health checks are answered for one of the two Services alone",
};

/** A node port is looked at before any program of the node, and two servers cannot listen at one port. */
export const healthPortConflict: ClusterCheck = {
  id: "health-port-conflict",
  severity: "error",
  *find({ services }) {
    const owners = new Map<number, { readonly name: string; readonly sort: keyof typeof CONSEQUENCES }>();
    for (const { service, ports } of services.values()) {
      for (const { traffic } of ports) {
        const { nodePort, protocol } = traffic.servicePort;
        if (protocol === "TCP") owners.set(nodePort, { name: nameOf(service), sort: "node port" });
      }
    }
    for (const { service, ports } of services.values()) {
      const number =
        ports.find(({ traffic }) => traffic.servicePort.healthCheckNodePort !== 0) && service.healthCheckNodePort;
      if (!number) continue;
      const owner = owners.get(number);
      owners.set(number, owner ?? { name: nameOf(service), sort: "health check port" });
      if (!owner) continue;
      yield {
        object: printObject(service),
        field: "spec.healthCheckNodePort",
        message: `${number} is also the ${owner.sort} of ${owner.name}`,
        consequence: CONSEQUENCES[owner.sort],
      };
    }
  },
};
