// Which source ranges open the load balancer to everyone, though others stand beside them?
import type { ServiceCheck } from "../check.ts";

/** One range of length 0 takes the whole list of its family away. */
export const sourceRangesOpen: ServiceCheck = {
  id: "source-ranges-open",
  severity: "error",
  *find({ manifest }) {
    for (const [index, range] of manifest.sourceRanges.entries()) {
      if (range?.prefix !== 0) continue;
      if (!manifest.sourceRanges.some((other) => other?.family === range.family && other.prefix > 0)) continue;
      yield {
        field: `spec.loadBalancerSourceRanges[${index}]`,
        message: `${range.text} stands among narrower ranges`,
        consequence: `it turns the firewall off: every ${range.family} client is let in`,
      };
    }
  },
};
