// Which ports of a Service does no EndpointSlice offer?
import type { ServiceCheck } from "../check.ts";
import { unmatchedPorts } from "../unmatched-ports.ts";
import { portField, printPort } from "../words.ts";

/** Name and protocol tie them together, never the number. */
export const portWithoutSlicePort: ServiceCheck = {
  id: "port-without-slice-port",
  severity: "error",
  *find(service) {
    for (const { port, offered } of unmatchedPorts(service)) {
      if (typeof service.manifest.targetPorts[port.index] === "string") continue;
      yield {
        field: portField(port, "name"),
        message: `no ${port.family} EndpointSlice has a port ${printPort(port)}, they have ${offered}`,
        consequence: "it has no endpoints: connections are refused",
      };
    }
  },
};
