// Checks for internalTrafficPolicy and externalTrafficPolicy Local.
import { endpointsBehind } from "../../model/ipvs-endpoints.ts";
import type { LintedPort } from "../cluster.ts";
import type { Check, ServiceCheck } from "../finding.ts";
import { printPorts } from "../print.ts";

type Policy = "internal" | "external";

/** Service ports without any endpoints are reported by `no-endpoints`; this check is about endpoints on other nodes. */
const localPolicy: ServiceCheck = {
  id: "local-policy",
  severity: "warning",
  *checkService({ ports, slices }, { nodeName, options }) {
    const hasNoNodeNames = slices.every(({ endpoints }) => endpoints.every((endpoint) => endpoint.nodeName === ""));
    if (!hasNoNodeNames && nodeName === "") return;
    const where = hasNoNodeNames ? "every node" : nodeName;
    for (const policy of ["internal", "external"] as const) {
      const dropped = ports.filter((port) => isDropped(port, policy));
      if (dropped.length === 0) continue;
      const endpoint = `endpoint of ${printPorts(dropped)}`;
      yield {
        field: `spec.${policy}TrafficPolicy`,
        message: hasNoNodeNames ? `no ${endpoint} has a nodeName` : `no ${endpoint} is on ${where}`,
        consequence: options.mode === "ipvs" ? consequenceInIpvs(policy, where, dropped) : consequenceOf(policy, where),
        remedy: hasNoNodeNames
          ? "set nodeName in the EndpointSlices, or use policy Cluster"
          : `run an endpoint on ${where}, or use policy Cluster`,
      };
    }
  },
};

function isDropped({ traffic }: LintedPort, policy: Policy): boolean {
  return traffic[policy].verdict === "drop" && (policy === "internal" || traffic.servicePort.reachableFromOutside);
}

function consequenceOf(policy: Policy, where: string): string {
  return policy === "internal"
    ? `connections from pods and processes on ${where} to the cluster IP are dropped: clients time out`
    : `connections from outside of the cluster to ${where} are dropped: clients time out`;
}

// kube-proxy's IPVS mode does not drop: it falls back to all endpoints.
function consequenceInIpvs(policy: Policy, where: string, dropped: readonly LintedPort[]): string {
  if (dropped.every(({ traffic }) => endpointsBehind(traffic, policy).length === 0))
    return `${where} rejects connections to the cluster IP`;
  const fallback = `${where} sends connections to endpoints on other nodes nevertheless`;
  return policy === "internal" ? fallback : `${fallback}, without masquerading, so replies may not return`;
}

/** A Service of type ClusterIP is reachable from outside only at its external IPs. */
const externalPolicy: ServiceCheck = {
  id: "external-policy",
  severity: "warning",
  *checkService({ service, manifest, ports }, { options }) {
    if (ports.length === 0 || service.type !== "ClusterIP" || service.externalTrafficPolicy !== "Local") return;
    const field = "spec.externalTrafficPolicy";
    if (manifest.externalIPs.length === 0) {
      yield {
        ...{ field, message: "a Service of type ClusterIP without external IPs is not reachable from outside" },
        consequence: "the policy has no effect, and the API server rejects it",
        remedy: "remove the field",
      };
      return;
    }
    const effect =
      options.mode === "ipvs"
        ? "sends connections to the external IPs to other nodes without masquerading"
        : "drops connections to the external IPs";
    yield {
      field,
      message: "policy Local applies to external IPs too, and type ClusterIP has no health check port",
      consequence: `a node without endpoints of the Service ${effect}, and clients cannot find out which nodes have endpoints`,
      remedy: "use type LoadBalancer, or policy Cluster",
    };
  },
};

export const trafficPolicyChecks: readonly Check[] = [localPolicy, externalPolicy];
