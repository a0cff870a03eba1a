// At which addresses do source ranges not guard a Service?
import type { ServiceCheck } from "../check.ts";
import { portField } from "../words.ts";

/** The firewall stands before addresses of the load balancer's status alone. */
export const sourceRangesBypass: ServiceCheck = {
  id: "source-ranges-bypass",
  severity: "warning",
  *find({ manifest, ports }) {
    if (!manifest.sourceRanges.some((range) => range && range.prefix > 0)) return;
    const consequence = "clients outside of the ranges get in there";
    const seen = new Set<number>();
    for (const port of ports) {
      const { nodePort } = port.traffic.servicePort;
      if (nodePort === 0 || seen.has(nodePort)) continue;
      seen.add(nodePort);
      yield {
        field: portField(port, "nodePort"),
        message: `loadBalancerSourceRanges do not guard node port ${nodePort}`,
        consequence,
      };
    }
    for (const [index, address] of manifest.externalIPs.entries()) {
      if (!ports.some(({ traffic }) => traffic.servicePort.externalIPs.includes(address))) continue;
      yield {
        field: `spec.externalIPs[${index}]`,
        message: `loadBalancerSourceRanges do not guard external IP ${address}`,
        consequence,
      };
    }
  },
};
