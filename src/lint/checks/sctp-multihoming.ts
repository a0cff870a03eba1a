// Which Services carry SCTP, and what of it does not survive a node proxy?
import type { ServiceCheck } from "../check.ts";
import { portField } from "../words.ts";

export const sctpMultihoming: ServiceCheck = {
  id: "sctp-multihoming",
  severity: "warning",
  *find({ service, ports }) {
    for (const port of ports) {
      if (port.traffic.servicePort.protocol !== "SCTP" || port.family !== ports[0]?.family) continue;
      yield {
        field: portField(port, "protocol"),
        message: `${service.name} is reached by SCTP through translated addresses`,
        consequence: "an association has one path: further addresses that its ends tell each other are not translated",
      };
    }
  },
};
