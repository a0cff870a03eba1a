// Checks for external IPs and for fields that open a Service to outside traffic unexpectedly.
import { findForbiddenSort } from "../../api/endpoint-address.ts";
import type { Check, ServiceCheck } from "../finding.ts";
import { portField } from "../print.ts";

/** Addresses that the API server's validation of externalIPs rejects: unspecified, loopback, link-local, multicast. */
const invalidExternalIP: ServiceCheck = {
  id: "invalid-external-ip",
  severity: "error",
  *checkService({ manifest, ports }) {
    for (const [index, address] of manifest.externalIPs.entries()) {
      const reason = findForbiddenSort(address);
      if (reason === undefined || !ports.some(({ traffic }) => traffic.servicePort.externalIPs.includes(address)))
        continue;
      yield {
        field: `spec.externalIPs[${index}]`,
        message: `${address} is not a valid external IP (${reason} address); the API server rejects it`,
        consequence:
          "rules are created for it nevertheless: connections to it, also from the nodes themselves, go to the Service",
        remedy: "use a unicast address that is routed to the nodes",
      };
    }
  },
};

const externalIPsOff: ServiceCheck = {
  id: "external-ips-off",
  severity: "warning",
  *checkService({ manifest, ports }, { options }) {
    if (options.allowServiceExternalIPs || ports.length === 0 || manifest.externalIPs.length === 0) return;
    yield {
      field: "spec.externalIPs",
      message: "feature gate AllowServiceExternalIPs is disabled",
      consequence: "no rules are created for external IPs",
      remedy: "remove the external IPs, or enable the feature gate",
    };
  },
};

/** Like kube-proxy, fairlead creates rules from these fields without looking at spec.type. */
const typeIgnored: ServiceCheck = {
  id: "type-ignored",
  severity: "warning",
  *checkService({ service, ports }) {
    const message = `spec.type is ${service.type}`;
    const nodePorts = new Map(ports.map((port) => [port.traffic.servicePort.nodePort, port]));
    if (service.type === "ClusterIP") {
      for (const [nodePort, port] of nodePorts) {
        if (nodePort === 0) continue;
        yield {
          ...{ field: portField(port, "nodePort"), message },
          consequence: `nodes accept connections on node port ${nodePort} nevertheless`,
          remedy: "remove nodePort, or set the type to NodePort",
        };
      }
    }
    if (service.type === "LoadBalancer" || ports.length === 0 || service.ingressVIPs.length === 0) return;
    yield {
      ...{ field: "status.loadBalancer.ingress", message },
      consequence: `nodes accept connections to ${service.ingressVIPs.join(", ")} nevertheless`,
      remedy: "clear status.loadBalancer, or set the type to LoadBalancer",
    };
  },
};

export const externalTrafficChecks: readonly Check[] = [invalidExternalIP, externalIPsOff, typeIgnored];
