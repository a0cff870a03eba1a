// Which addresses of an ExternalName Service lead nowhere?
import type { ServiceCheck } from "../check.ts";

export const externalName: ServiceCheck = {
  id: "external-name",
  severity: "warning",
  *find({ service, manifest }) {
    if (service.type !== "ExternalName") return;
    const consequence = "no rule is written for it: an ExternalName is a matter of DNS alone";
    const message = "the type is ExternalName";
    if (service.clusterIP !== "") yield { field: "spec.clusterIP", message, consequence };
    if (manifest.externalIPs.length > 0) yield { field: "spec.externalIPs", message, consequence };
  },
};
