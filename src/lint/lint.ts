// What in the manifests will surprise?
import { printObject } from "../api/object-name.ts";
import { CLUSTER_CHECKS, SERVICE_CHECKS } from "./checks.ts";
import type { LintedCluster } from "./cluster.ts";
import type { Finding } from "./finding.ts";

/** The findings of all checks, check by check. Each consequence holds for the rules of fairlead and of kube-proxy. */
export function* lint(cluster: LintedCluster): Generator<Finding> {
  for (const { id, severity, find } of CLUSTER_CHECKS) {
    for (const remark of find(cluster)) yield { id, severity, ...remark };
  }
  for (const { id, severity, find } of SERVICE_CHECKS) {
    for (const service of cluster.services.values()) {
      const object = printObject(service.service);
      for (const remark of find(service, cluster)) yield { id, severity, object, ...remark };
    }
  }
}
