// Would another layout of the rules serve such a cluster better?
import { printObject } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";
import type { LintedPort } from "../cluster.ts";
import type { ObjectRemark } from "../finding.ts";

/** From here on the last rule of the list of all ServicePorts doubles what a connection takes to set up (iptables-nft). */
const MANY_PORTS = 1000;

/** From here on the list of endpoints of one ServicePort makes it half as long again. */
const MANY_ENDPOINTS = 250;

const CURE = "iptables.layout Indexed finds it in a few steps";

/** Says it once for each family, of the Service that has the first ServicePort too many, and of each large Service. */
export const layout: ClusterCheck = {
  id: "layout",
  severity: "warning",
  *find({ services, options }) {
    if (options.mode === "ipvs" || options.iptablesLayout === "Indexed") return;
    const counts = { IPv4: 0, IPv6: 0 };
    for (const { service, ports } of services.values()) {
      for (const port of ports) {
        const isListed = port.traffic.internal.verdict === "forward";
        if (isListed) counts[port.family]++;
        if (isListed && counts[port.family] === MANY_PORTS + 1)
          yield { object: printObject(service), ...manyPorts(port) };
        if (endpointsOf(port) > MANY_ENDPOINTS) yield { object: printObject(service), ...manyEndpoints(port) };
      }
    }
  },
};

function manyPorts({ family, index }: LintedPort): Omit<ObjectRemark, "object"> {
  return {
    field: `spec.ports[${index}]`,
    message: `this is port ${MANY_PORTS + 1} of those with endpoints in ${family}, and rules for more than ${MANY_PORTS} stand in one list`,
    consequence: `each new connection of the node, to no Service too, goes through that list; ${CURE}`,
  };
}

function manyEndpoints(port: LintedPort): Omit<ObjectRemark, "object"> {
  return {
    field: `spec.ports[${port.index}]`,
    message: `${endpointsOf(port)} endpoints of ${port.family} stand in one list`,
    consequence: `each new connection goes through half of that list to its endpoint; ${CURE}`,
  };
}

/** The longer one of both lists. */
function endpointsOf({ traffic: { cluster, local } }: LintedPort): number {
  return Math.max(cluster.length, local.length);
}
