// Which hints does every node ignore, because an endpoint has none?
import type { ServiceCheck } from "../check.ts";
import { printPorts } from "../words.ts";

export const hintsIncomplete: ServiceCheck = {
  id: "hints-incomplete",
  severity: "warning",
  *find({ ports }) {
    for (const kind of ["zone", "node"] as const) {
      const partly = ports.filter(({ endpoints, traffic }) => {
        const ready = endpoints.filter((each) => each.ready);
        const hinted = ready.filter((each) => each[`${kind}Hints`].length > 0);
        return traffic.servicePort.usesCluster && hinted.length > 0 && hinted.length < ready.length;
      });
      if (partly.length === 0) continue;
      yield {
        field: "spec.ports",
        message: `some ready endpoints of ${printPorts(partly)} have hints for ${kind}s, and some have none`,
        consequence: `hints for ${kind}s count only when every ready endpoint has one: they are ignored on all nodes`,
      };
    }
  },
};
