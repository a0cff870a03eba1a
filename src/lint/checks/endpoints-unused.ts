// Which Endpoints objects does nobody follow?
import { printObject } from "../../api/object-name.ts";
import type { Endpoints } from "../../api/objects.ts";
import type { ClusterCheck } from "../check.ts";
import { type LintedCluster, nameOf } from "../cluster.ts";

/** Nodes read EndpointSlices; the control plane mirrors Endpoints into them only for Services without a selector. */
export const endpointsUnused: ClusterCheck = {
  id: "endpoints-unused",
  severity: "warning",
  *find(cluster) {
    const written = new Set(cluster.readSlices.map(({ namespace, service }) => `${namespace}/${service}`));
    for (const endpoints of cluster.endpoints) {
      const message = whyUnused(endpoints, cluster, written);
      const consequence = "nodes do not see these addresses: EndpointSlices alone count";
      if (message !== undefined) yield { object: printObject(endpoints), field: "subsets", message, consequence };
    }
  },
};

function whyUnused(endpoints: Endpoints, { services, unread }: LintedCluster, written: ReadonlySet<string>) {
  const name = nameOf(endpoints);
  const owner = services.get(name);
  if (!owner) return unread.has(`Service ${name}`) ? undefined : `there is no Service ${name}`;
  if (owner.service.hasSelector) return "the Service has a selector, so that Endpoints are not mirrored";
  return written.has(name) ? "the Service has EndpointSlices of its own" : undefined;
}
