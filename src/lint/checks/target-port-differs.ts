// Which target ports are not the ports that traffic goes to?
import type { ServiceCheck } from "../check.ts";
import { portField } from "../words.ts";

/** A node never looks at targetPort: slices carry the numbers. */
export const targetPortDiffers: ServiceCheck = {
  id: "target-port-differs",
  severity: "warning",
  *find({ manifest, ports }) {
    const seen = new Set<number>();
    for (const port of ports) {
      const target = manifest.targetPorts[port.index];
      const other = port.endpoints.find((endpoint) => endpoint.port !== target);
      if (typeof target !== "number" || !other || seen.has(port.index)) continue;
      seen.add(port.index);
      yield {
        field: portField(port, "targetPort"),
        message: `EndpointSlices have ${other.text}, which is not port ${target}`,
        consequence: "connections go to the port that the slices name",
      };
    }
  },
};
