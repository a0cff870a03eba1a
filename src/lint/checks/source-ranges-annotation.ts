// Which source ranges are written where no node looks?
import type { ServiceCheck } from "../check.ts";

const ANNOTATION = "service.beta.kubernetes.io/load-balancer-source-ranges";

export const sourceRangesAnnotation: ServiceCheck = {
  id: "source-ranges-annotation",
  severity: "warning",
  *find({ manifest, ports }) {
    if (ports.length === 0 || manifest.sourceRanges.length > 0 || !manifest.annotations.has(ANNOTATION)) return;
    yield {
      field: `metadata.annotations["${ANNOTATION}"]`,
      message: "nodes read spec.loadBalancerSourceRanges alone, not this annotation",
      consequence: "nodes let in every client at the load balancer's addresses",
    };
  },
};
