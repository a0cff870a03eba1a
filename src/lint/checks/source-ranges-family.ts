// Which families of a load balancer do the source ranges leave open?
import type { ServiceCheck } from "../check.ts";

export const sourceRangesFamily: ServiceCheck = {
  id: "source-ranges-family",
  severity: "error",
  *find({ service, manifest, ports }) {
    const ranges = manifest.sourceRanges.flatMap((range) => range ?? []);
    if (ranges.length === 0 || service.type !== "LoadBalancer") return;
    for (const family of new Set(ports.map((port) => port.family))) {
      if (ranges.some((range) => range.family === family)) continue;
      yield {
        field: "spec.loadBalancerSourceRanges",
        message: `no range is ${family}, and the Service has an ${family} cluster IP`,
        consequence: `every ${family} client is let in at the load balancer's ${family} addresses`,
      };
    }
  },
};
