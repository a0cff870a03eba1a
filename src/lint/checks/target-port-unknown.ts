// Which target ports does no pod have, by their names?
import { quote } from "../../api/quote.ts";
import type { ServiceCheck } from "../check.ts";
import { unmatchedPorts } from "../unmatched-ports.ts";
import { portField, printPort } from "../words.ts";

/** The control plane leaves a port out of the slices of pods that have no container port of its target's name. */
export const targetPortUnknown: ServiceCheck = {
  id: "target-port-unknown",
  severity: "error",
  *find(service) {
    for (const { port, offered } of unmatchedPorts(service)) {
      const target = service.manifest.targetPorts[port.index];
      if (typeof target !== "string") continue;
      yield {
        field: portField(port, "targetPort"),
        message: `no ${port.family} EndpointSlice has a port ${printPort(port)} (they have ${offered}): no pod has a port named ${quote(target)}`,
        consequence: "it has no endpoints: connections are refused",
      };
    }
  },
};
