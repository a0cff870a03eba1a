// Which cluster IPs could be a pod's address?

import { printObject } from "../../api/object-name.ts";
import { parseCidr } from "../../net/cidr.ts";
import type { ClusterCheck } from "../check.ts";
import { clusterIPField } from "../claims.ts";
import type { LintedCluster, LintedService } from "../cluster.ts";
import { printNumbers } from "../words.ts";

export const podRange: ClusterCheck = {
  id: "pod-range",
  severity: "error",
  *find(cluster) {
    const ranges = podRanges(cluster);
    for (const service of cluster.services.values()) {
      for (const clusterIP of new Set(service.ports.map(({ traffic }) => traffic.servicePort.clusterIP))) {
        const range = ranges.around(clusterIP);
        if (range === undefined) continue;
        yield {
          object: printObject(service.service),
          field: clusterIPField(service, clusterIP),
          message: `${clusterIP} is inside of ${range}, from which pods have their addresses`,
          consequence: consequenceOf(service, cluster),
        };
      }
    }
  },
};

// In IPVS mode the address is on an interface of every node.
function consequenceOf({ ports }: LintedService, { options }: LintedCluster): string {
  return options.mode === "ipvs"
    ? "a pod with this address cannot be reached at any port: every node takes the address for its own"
    : `a pod with this address cannot be reached at ${printNumbers(ports)}: the Service is`;
}

/** Asked by length of prefix: there may be as many ranges as nodes. */
function podRanges({ nodes, options }: LintedCluster) {
  const written = [...options.clusterCIDRs, ...nodes.flatMap(({ podCIDRs }) => podCIDRs)];
  const ranges = new Map(written.flatMap((text) => parseCidr(text) ?? []).map((cidr) => [cidr.text, cidr]));
  const lengths = new Set([...ranges.values()].map(({ prefix }) => prefix));
  return {
    around: (address: string) =>
      [...lengths].map((length) => parseCidr(`${address}/${length}`)?.text ?? "").find((text) => ranges.has(text)),
  };
}
