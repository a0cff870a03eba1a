// Which EndpointSlices have host names for addresses?
import { printIdentity } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";

export const sliceOfHostNames: ClusterCheck = {
  id: "slice-of-host-names",
  severity: "warning",
  *find({ slices }) {
    for (const { namespace, name, addressType } of slices.values()) {
      if (addressType !== "FQDN") continue;
      yield {
        object: printIdentity({ kind: "EndpointSlice", namespace, name }),
        field: "addressType",
        message: "its addresses are host names",
        consequence: "no node sends anything to them: rules know IP addresses only",
      };
    }
  },
};
