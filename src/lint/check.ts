// What is a check?
import type { LintedCluster, LintedService } from "./cluster.ts";
import type { ObjectRemark, Remark, Severity } from "./finding.ts";

/** Looks at one Service after the other; what it says is about that Service unless it names another object. */
export interface ServiceCheck {
  readonly id: string;
  readonly severity: Severity;
  find(service: LintedService, cluster: LintedCluster): Iterable<Remark | ObjectRemark>;
}

/** Looks at all objects at once. */
export interface ClusterCheck {
  readonly id: string;
  readonly severity: Severity;
  find(cluster: LintedCluster): Iterable<ObjectRemark>;
}
