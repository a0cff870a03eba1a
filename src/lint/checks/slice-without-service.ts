// Which EndpointSlices belong to no Service?
import { printIdentity } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";

export const sliceWithoutService: ClusterCheck = {
  id: "slice-without-service",
  severity: "error",
  *find({ slices, services, unread }) {
    for (const { namespace, name, service } of slices.values()) {
      const owner = `${namespace}/${service}`;
      if (services.has(owner) || unread.has(`Service ${owner}`)) continue;
      yield {
        object: printIdentity({ kind: "EndpointSlice", namespace, name }),
        field: 'metadata.labels["kubernetes.io/service-name"]',
        message: service === "" ? "the label is missing" : `there is no Service ${owner}`,
        consequence: "no rule is written for these endpoints",
      };
    }
  },
};
