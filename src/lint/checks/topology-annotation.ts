// Which old annotations stand in the way of spec.trafficDistribution?
import type { ServiceCheck } from "../check.ts";
import { annotatedWish } from "../topology-wish.ts";

export const topologyAnnotation: ServiceCheck = {
  id: "topology-annotation",
  severity: "warning",
  *find({ manifest }) {
    const wish = annotatedWish(manifest);
    if (!wish || manifest.trafficDistribution === "") return;
    yield {
      field: wish.field,
      message: "the annotation goes before spec.trafficDistribution",
      consequence: "hints are made as the annotation asks, and none where endpoints are spread unevenly over zones",
    };
  },
};
