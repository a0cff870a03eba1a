// Which trafficDistribution does nobody know?
import { quote } from "../../api/quote.ts";
import type { ServiceCheck } from "../check.ts";
import { DISTRIBUTIONS } from "../topology-wish.ts";

export const trafficDistribution: ServiceCheck = {
  id: "traffic-distribution",
  severity: "error",
  *find({ manifest }) {
    const { trafficDistribution: written } = manifest;
    if (written === "" || DISTRIBUTIONS.includes(written)) return;
    yield {
      field: "spec.trafficDistribution",
      message: `${quote(written)} is none of ${DISTRIBUTIONS.join(", ")}`,
      consequence: "the API server refuses it; without hints nodes use endpoints of all zones alike",
    };
  },
};
