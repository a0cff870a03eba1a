// Checks for Services without a cluster IP: headless Services, ExternalName, and cluster IPs not allocated yet.
import type { Check, ServiceCheck } from "../finding.ts";

const noClusterIP: ServiceCheck = {
  id: "no-cluster-ip",
  severity: "warning",
  *checkService({ service, manifest }) {
    if (service.foreignProxy || service.type === "ExternalName") return;
    const field = "spec.clusterIP";
    if (service.clusterIP === "") {
      yield {
        ...{
          field,
          message: "the Service has no cluster IP; the API server allocates one when it creates the Service",
        },
        consequence: "no rules are created for this manifest, on any address",
        remedy: "set spec.clusterIP, or read the Service from a cluster",
      };
    }
    const hasOutside =
      manifest.externalIPs.length > 0 || service.ingressVIPs.length > 0 || service.type !== "ClusterIP";
    if (service.clusterIP === "None" && hasOutside) {
      yield {
        ...{ field, message: "the Service is headless, but has external addresses or node ports" },
        consequence: "no rules are created for it: packets to these addresses do not reach its endpoints",
        remedy: "remove clusterIP: None, or the external addresses and the type",
      };
    }
  },
};

const externalName: ServiceCheck = {
  id: "external-name",
  severity: "warning",
  *checkService({ service, manifest }) {
    if (service.type !== "ExternalName") return;
    const common = {
      message: "spec.type is ExternalName",
      consequence: "no rules are created for it: ExternalName affects only DNS",
      remedy: "remove the addresses, or use another type",
    };
    if (service.clusterIP !== "") yield { field: "spec.clusterIP", ...common };
    if (manifest.externalIPs.length > 0) yield { field: "spec.externalIPs", ...common };
  },
};

export const headlessAndExternalNameChecks: readonly Check[] = [noClusterIP, externalName];
