// Which Services have nobody to serve them?
import type { ServiceCheck } from "../check.ts";
import { printPorts } from "../words.ts";

/** As a node sees it: an endpoint that serves without being ready or terminating gets nothing. */
export const noEndpoints: ServiceCheck = {
  id: "no-endpoints",
  severity: "warning",
  *find({ ports, slices }) {
    const field = "spec.ports";
    const consequence = "connections are refused";
    if (ports.length > 0 && !slices.some(({ endpoints }) => endpoints.length > 0)) {
      yield { field, message: "the Service has no endpoints", consequence };
    }
    const unusable = ports.filter(({ endpoints }) => {
      return (
        endpoints.length > 0 && !endpoints.some(({ ready, serving, terminating }) => ready || (serving && terminating))
      );
    });
    if (unusable.length > 0) yield { field, message: `no endpoint of ${printPorts(unusable)} is ready`, consequence };
  },
};
