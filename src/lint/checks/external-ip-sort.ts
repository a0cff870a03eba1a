// Which external IPs are of a sort that no outside address is?
import { findForbiddenSort } from "../../api/endpoint-address.ts";
import type { ServiceCheck } from "../check.ts";

export const externalIPSort: ServiceCheck = {
  id: "external-ip-sort",
  severity: "error",
  *find({ manifest, ports }) {
    for (const [index, address] of manifest.externalIPs.entries()) {
      const sort = findForbiddenSort(address);
      if (sort === undefined || !ports.some(({ traffic }) => traffic.servicePort.externalIPs.includes(address)))
        continue;
      yield {
        field: `spec.externalIPs[${index}]`,
        message: `${address} is ${sort}, which the API server refuses`,
        consequence:
          "rules are written for it all the same: connections to it, from the nodes themselves too, go to the Service",
      };
    }
  },
};
