// Checks for node ports that are not reachable on the node.
import { isLoopback } from "../../model/node-ips.ts";
import type { Check, ServiceCheck } from "../finding.ts";
import { portField } from "../print.ts";

/** Reported only if an address of the node is known. */
const nodePortAddress: ServiceCheck = {
  id: "node-port-address",
  severity: "error",
  *checkService({ ports }, { families }) {
    for (const port of ports) {
      const node = families.find(({ family }) => family === port.family);
      const { nodePort } = port.traffic.servicePort;
      if (nodePort === 0 || node?.nodePortAddresses.length !== 0 || node.addresses.every(isLoopback)) continue;
      yield {
        field: portField(port, "nodePort"),
        message: `no ${port.family} address of this node matches nodePortAddresses`,
        consequence: `this node does not accept ${port.family} connections on node port ${nodePort}`,
        remedy: `add a CIDR with an ${port.family} address of the node to --nodeport-addresses`,
      };
    }
  },
};

/** IPVS mode does not serve 127.0.0.1, regardless of iptables.localhostNodePorts. */
const localNodePort: ServiceCheck = {
  id: "local-node-port",
  severity: "warning",
  *checkService({ ports }, { options }) {
    if (options.mode !== "ipvs") return;
    for (const port of ports) {
      const { nodePort } = port.traffic.servicePort;
      if (nodePort === 0 || port.family === "IPv6") continue;
      yield {
        field: portField(port, "nodePort"),
        message: `node port ${nodePort} is not reachable at 127.0.0.1 in IPVS mode`,
        consequence: `connections from processes on the node to 127.0.0.1:${nodePort} are refused`,
        remedy: "connect to another address of the node",
      };
    }
  },
};

export const nodePortChecks: readonly Check[] = [nodePortAddress, localNodePort];
