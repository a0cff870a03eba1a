// Which wishes for near endpoints have come to nothing?
import type { ServiceCheck } from "../check.ts";
import { wishOf } from "../topology-wish.ts";
import { printPorts } from "../words.ts";

/** Nodes go by the hints in EndpointSlices, never by what the Service asks for. */
export const wishWithoutHints: ServiceCheck = {
  id: "wish-without-hints",
  severity: "warning",
  *find({ manifest, ports }) {
    const wish = wishOf(manifest);
    const plain = ports.filter(({ endpoints, traffic }) => {
      const ready = endpoints.filter((each) => each.ready);
      const hinted = ready.some(({ zoneHints, nodeHints }) => zoneHints.length > 0 || nodeHints.length > 0);
      return traffic.servicePort.usesCluster && ready.length > 0 && !hinted;
    });
    if (!wish || plain.length === 0) return;
    yield {
      field: wish.field,
      message: `${wish.text} asks for near endpoints, and no endpoint of ${printPorts(plain)} has a hint`,
      consequence: "nodes go by hints alone: they use endpoints of all zones alike",
    };
  },
};
