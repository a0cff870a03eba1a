// Which addresses of endpoints does nobody use?
import { printIdentity } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";

export const secondAddress: ClusterCheck = {
  id: "second-address",
  severity: "warning",
  *find({ slices }) {
    for (const { namespace, name, endpoints } of slices.values()) {
      for (const [index, [first, ...others]] of endpoints.entries()) {
        if (others.length === 0) continue;
        yield {
          object: printIdentity({ kind: "EndpointSlice", namespace, name }),
          field: `endpoints[${index}].addresses[1]`,
          message: `the endpoint has ${others.length + 1} addresses`,
          consequence: `connections go to the first of them alone, ${first}`,
        };
      }
    }
  },
};
