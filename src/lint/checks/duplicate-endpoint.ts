// Which endpoints stand twice in the EndpointSlices of a Service?
import type { EndpointSlice } from "../../api/objects.ts";
import type { ServiceCheck } from "../check.ts";
import { endpointPlace } from "../endpoint-place.ts";

/** An endpoint is its address and port, under one port of the Service. */
export const duplicateEndpoint: ServiceCheck = {
  id: "duplicate-endpoint",
  severity: "warning",
  *find({ slices, ports }, cluster) {
    if (ports.length === 0) return;
    const seen = new Set<string>();
    for (const slice of slices) {
      for (const [index, { address }] of slice.endpoints.entries()) {
        const keys = slice.ports.map(({ name, protocol, port }) => `${address} ${name} ${protocol} ${port}`);
        const again = keys.some((key) => seen.has(key));
        for (const key of keys) seen.add(key);
        if (again) yield remarkOn(slice, index, cluster);
      }
    }
  },
};

function remarkOn(slice: EndpointSlice, index: number, cluster: Parameters<typeof endpointPlace>[2]) {
  return {
    ...endpointPlace(slice, index, cluster),
    message: `${slice.endpoints[index]?.address} is an endpoint of ${slice.namespace}/${slice.service} already`,
    consequence:
      "it counts once; of several that are not terminating fairlead takes the last by the slices' names, kube-proxy any",
  };
}
