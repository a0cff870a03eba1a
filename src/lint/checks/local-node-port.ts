// Which node ports does a node not answer at its loopback address?
import type { ServiceCheck } from "../check.ts";
import { portField } from "../words.ts";

/** IPVS mode leaves 127.0.0.1 alone, whatever iptables.localhostNodePorts says. */
export const localNodePort: ServiceCheck = {
  id: "local-node-port",
  severity: "warning",
  *find({ ports }, { options }) {
    if (options.mode !== "ipvs") return;
    for (const port of ports) {
      const { nodePort } = port.traffic.servicePort;
      if (nodePort === 0 || port.family === "IPv6") continue;
      yield {
        field: portField(port, "nodePort"),
        message: `node port ${nodePort} does not answer at 127.0.0.1 in IPVS mode`,
        consequence: `programs on a node must use another address of it than 127.0.0.1:${nodePort}`,
      };
    }
  },
};
