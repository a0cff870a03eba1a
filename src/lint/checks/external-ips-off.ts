// Which external IPs does the configuration switch off?
import type { ServiceCheck } from "../check.ts";

export const externalIPsOff: ServiceCheck = {
  id: "external-ips-off",
  severity: "warning",
  *find({ manifest, ports }, { options }) {
    if (options.allowServiceExternalIPs || ports.length === 0 || manifest.externalIPs.length === 0) return;
    yield {
      field: "spec.externalIPs",
      message: "feature gate AllowServiceExternalIPs is off",
      consequence: "no rule is written for external IPs",
    };
  },
};
