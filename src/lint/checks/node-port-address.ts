// Which node ports does this node answer at no address?
import { isLoopback } from "../../model/node-ips.ts";
import type { ServiceCheck } from "../check.ts";
import { portField } from "../words.ts";

/** Told only where addresses of the node are known. */
export const nodePortAddress: ServiceCheck = {
  id: "node-port-address",
  severity: "error",
  *find({ ports }, { families }) {
    for (const port of ports) {
      const here = families.find(({ family }) => family === port.family);
      const { nodePort } = port.traffic.servicePort;
      if (nodePort === 0 || here?.nodePortAddresses.length !== 0 || here.addresses.every(isLoopback)) continue;
      yield {
        field: portField(port, "nodePort"),
        message: `no ${port.family} address of this node is inside of nodePortAddresses`,
        consequence: `this node does not answer ${port.family} at node port ${nodePort}`,
      };
    }
  },
};
