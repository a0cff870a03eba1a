// Which external policies mean nothing, or more than they seem to?
import type { ServiceCheck } from "../check.ts";

/** A Service of type ClusterIP is reached from outside at its external IPs, if at all. */
export const externalPolicy: ServiceCheck = {
  id: "external-policy",
  severity: "warning",
  *find({ service, manifest, ports }, { options }) {
    if (ports.length === 0 || service.type !== "ClusterIP" || service.externalTrafficPolicy !== "Local") return;
    const field = "spec.externalTrafficPolicy";
    if (manifest.externalIPs.length === 0) {
      const message = "a Service of type ClusterIP without external IPs cannot be reached from outside";
      yield { field, message, consequence: "the policy has no effect, and the API server refuses it" };
      return;
    }
    const dropped = "drops what comes to the external IPs";
    const passed = "sends what comes to the external IPs to other nodes, unmasqueraded";
    yield {
      field,
      message: "Local counts for external IPs too, and there is no health check port for them",
      consequence: `a node without endpoints of the Service ${options.mode === "ipvs" ? passed : dropped}, and nobody can ask which do`,
    };
  },
};
