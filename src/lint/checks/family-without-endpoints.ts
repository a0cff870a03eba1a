// Which families of a Service have no endpoints, though the other has?
import type { ServiceCheck } from "../check.ts";
import { clusterIPField } from "../claims.ts";

export const familyWithoutEndpoints: ServiceCheck = {
  id: "family-without-endpoints",
  severity: "error",
  *find(linted) {
    const { ports, slices } = linted;
    const served = new Set(slices.flatMap(({ family, endpoints }) => (endpoints.length > 0 ? [family] : [])));
    if (served.size === 0) return;
    const addresses = new Map(ports.map(({ family, traffic }) => [family, traffic.servicePort.clusterIP]));
    for (const [family, clusterIP] of addresses) {
      if (served.has(family)) continue;
      yield {
        field: clusterIPField(linted, clusterIP),
        message: `no EndpointSlice has ${family} endpoints`,
        consequence: `connections to ${clusterIP} are refused, and so is all other ${family} traffic for the Service`,
      };
    }
  },
};
