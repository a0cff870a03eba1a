// Which source ranges guard nothing?
import type { ServiceCheck } from "../check.ts";

/** Without an address of the load balancer there is nothing to filter at; one may still come where there is no status. */
export const sourceRangesUnused: ServiceCheck = {
  id: "source-ranges-unused",
  severity: "warning",
  *find({ service, manifest, ports }) {
    if (ports.length === 0 || manifest.sourceRanges.length === 0 || service.ingressVIPs.length > 0) return;
    const typed = service.type === "LoadBalancer";
    if (typed && manifest.ingress.length === 0) return;
    yield {
      field: "spec.loadBalancerSourceRanges",
      message: typed ? "the load balancer has no address of mode VIP" : `the type is ${service.type}`,
      consequence: "nodes filter nothing: whoever reaches the Service is served",
    };
  },
};
