// Defines lint findings and the two kinds of lint checks.
import type { LintedCluster, LintedService } from "./cluster.ts";

/** `error`: the configuration does not work. `warning`: it works, but differently from what a reader expects. */
export type Severity = "error" | "warning";

/** A finding about one field of an object that is known from the context. */
export interface FieldFinding {
  /** Dotted path inside the object, such as `spec.ports[0].nodePort`. */
  readonly field: string;
  /** The cause: what the field or the cluster contains. */
  readonly message: string;
  /** The effect on the node. It holds for the rules of fairlead and of kube-proxy. */
  readonly consequence: string;
  /** What to change, in the imperative. */
  readonly remedy: string;
}

/** A finding about a field of a named object, such as `Service shop/cart`. */
export interface ObjectFinding extends FieldFinding {
  readonly object: string;
}

/** A finding together with the check that produced it. */
export interface Finding extends ObjectFinding {
  readonly id: string;
  readonly severity: Severity;
}

interface CheckInfo {
  /** Words joined by hyphens. Stable: scripts may filter by it. */
  readonly id: string;
  readonly severity: Severity;
}

/** Examines one Service at a time. A finding is about that Service unless it names another object. */
export interface ServiceCheck extends CheckInfo {
  checkService(service: LintedService, cluster: LintedCluster): Iterable<FieldFinding | ObjectFinding>;
}

/** Examines all objects at once. */
export interface ClusterCheck extends CheckInfo {
  checkCluster(cluster: LintedCluster): Iterable<ObjectFinding>;
}

export type Check = ServiceCheck | ClusterCheck;
