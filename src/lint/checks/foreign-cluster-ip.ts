// Which Services take traffic away from another one's cluster IP?
import { printObject } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";
import { addressClaims } from "../claims.ts";
import { nameOf } from "../cluster.ts";

/** Anyone who may write external IPs can do so. Where the other Service has the port too, it is a plain conflict. */
export const foreignClusterIP: ClusterCheck = {
  id: "foreign-cluster-ip",
  severity: "error",
  *find(cluster) {
    const owners = new Map<string, string>();
    const taken = new Set<string>();
    for (const { service, address, text, sort } of addressClaims(cluster)) {
      if (sort !== "cluster IP") continue;
      owners.set(address, nameOf(service.service));
      taken.add(text);
    }
    for (const { service, address, text, sort, field } of addressClaims(cluster)) {
      const owner = owners.get(address);
      if (owner === undefined || owner === nameOf(service.service) || taken.has(text)) continue;
      yield {
        object: printObject(service.service),
        field,
        message: `${sort} ${address} is the cluster IP of ${owner}`,
        consequence: `connections to ${text} come to this Service`,
      };
    }
  },
};
