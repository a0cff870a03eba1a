// Which zones do the hints of a Service leave out?
import type { ServiceCheck } from "../check.ts";
import type { LintedCluster, LintedPort } from "../cluster.ts";
import { printPorts } from "../words.ts";

export const hintsWithoutZone: ServiceCheck = {
  id: "hints-without-zone",
  severity: "warning",
  *find({ ports }, cluster) {
    const hinted = ports.filter((port) => port.traffic.servicePort.usesCluster && zonesOf(port).length > 0);
    if (hinted.length === 0) return;
    for (const zone of knownZones(cluster)) {
      const without = hinted.filter((port) => !zonesOf(port).includes(zone));
      if (without.length === 0) continue;
      yield {
        field: "spec.ports",
        message: `no endpoint of ${printPorts(without)} is hinted for zone ${zone}`,
        consequence: `nodes of zone ${zone} use all endpoints, whatever their zones`,
      };
    }
  },
};

/** The zones that hints name; none where an endpoint has no hint, or where nodes are named too. */
function zonesOf({ endpoints }: LintedPort): readonly string[] {
  const ready = endpoints.filter((each) => each.ready);
  if (ready.some(({ zoneHints, nodeHints }) => zoneHints.length === 0 || nodeHints.length > 0)) return [];
  return [...new Set(ready.flatMap(({ zoneHints }) => zoneHints))];
}

function knownZones({ nodes }: LintedCluster): readonly string[] {
  return [...new Set(nodes.map(({ zone }) => zone).filter((zone) => zone !== ""))].sort();
}
