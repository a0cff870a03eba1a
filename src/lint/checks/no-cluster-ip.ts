// Which Services get no rules, for want of a cluster IP?
import type { ServiceCheck } from "../check.ts";

export const noClusterIP: ServiceCheck = {
  id: "no-cluster-ip",
  severity: "warning",
  *find({ service, manifest }) {
    if (service.foreignProxy || service.type === "ExternalName") return;
    const field = "spec.clusterIP";
    if (service.clusterIP === "") {
      const message = "there is no cluster IP; a cluster gives one to the Service when it is created";
      yield { field, message, consequence: "as it stands here no rule is written for it, at no address" };
    }
    const outside = manifest.externalIPs.length > 0 || service.ingressVIPs.length > 0 || service.type !== "ClusterIP";
    if (service.clusterIP === "None" && outside) {
      const message = "the Service is headless, and has addresses or node ports to be reached at";
      yield { field, message, consequence: "no rule is written for it: nothing sent there reaches its endpoints" };
    }
  },
};
