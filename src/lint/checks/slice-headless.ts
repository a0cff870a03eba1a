// Which EndpointSlices does a label hide from nodes, though their Service has a cluster IP?
import { printObject } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";

const LABEL = "service.kubernetes.io/headless";

/** The label works by being there, whatever its value. */
export const sliceHeadless: ClusterCheck = {
  id: "slice-headless",
  severity: "error",
  *find({ readSlices, services }) {
    for (const slice of readSlices) {
      if (!slice.headless || !services.get(`${slice.namespace}/${slice.service}`)?.ports.length) continue;
      yield {
        object: printObject(slice),
        field: `metadata.labels["${LABEL}"]`,
        message: "the label hides the slice from node proxies, and its Service has a cluster IP",
        consequence: "no connection goes to these endpoints",
      };
    }
  },
};
