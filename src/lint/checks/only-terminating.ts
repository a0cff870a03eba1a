// Which Services are served by pods that are about to end, and nobody else?
import type { ServiceCheck } from "../check.ts";
import { printPorts } from "../words.ts";

export const onlyTerminating: ServiceCheck = {
  id: "only-terminating",
  severity: "warning",
  *find({ ports }) {
    const ending = ports.filter(({ endpoints }) => {
      return !endpoints.some(({ ready }) => ready) && endpoints.some((each) => each.serving && each.terminating);
    });
    if (ending.length === 0) return;
    yield {
      field: "spec.ports",
      message: `no endpoint of ${printPorts(ending)} is ready, those that still serve are terminating`,
      consequence: "new connections go to terminating endpoints, hints aside, until these are gone",
    };
  },
};
