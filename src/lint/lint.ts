// Lists all lint checks and runs them.
import { printObject } from "../api/object-name.ts";
import { conflictChecks } from "./checks/conflicts.ts";
import { connectionChecks } from "./checks/connections.ts";
import { dualStackChecks } from "./checks/dual-stack.ts";
import { endpointSliceChecks } from "./checks/endpoint-slices.ts";
import { endpointChecks } from "./checks/endpoints.ts";
import { externalTrafficChecks } from "./checks/external-traffic.ts";
import { headlessAndExternalNameChecks } from "./checks/headless-and-external-name.ts";
import { loadBalancerChecks } from "./checks/load-balancer.ts";
import { nodePortChecks } from "./checks/node-ports.ts";
import { scaleChecks } from "./checks/scale.ts";
import { serviceAddressChecks } from "./checks/service-addresses.ts";
import { sourceRangeChecks } from "./checks/source-ranges.ts";
import { targetPortChecks } from "./checks/target-ports.ts";
import { topologyChecks } from "./checks/topology.ts";
import { trafficPolicyChecks } from "./checks/traffic-policy.ts";
import type { LintedCluster } from "./cluster.ts";
import type { Check, Finding } from "./finding.ts";

export const CHECKS: readonly Check[] = [
  ...conflictChecks,
  ...connectionChecks,
  ...dualStackChecks,
  ...endpointSliceChecks,
  ...endpointChecks,
  ...externalTrafficChecks,
  ...headlessAndExternalNameChecks,
  ...loadBalancerChecks,
  ...nodePortChecks,
  ...scaleChecks,
  ...serviceAddressChecks,
  ...sourceRangeChecks,
  ...targetPortChecks,
  ...topologyChecks,
  ...trafficPolicyChecks,
];

/** Yields the findings of all checks, check by check. */
export function* lint(cluster: LintedCluster): Generator<Finding> {
  for (const check of CHECKS) {
    const { id, severity } = check;
    if ("checkCluster" in check) {
      for (const finding of check.checkCluster(cluster)) yield { id, severity, ...finding };
      continue;
    }
    for (const service of cluster.services.values()) {
      const object = printObject(service.service);
      for (const finding of check.checkService(service, cluster)) yield { id, severity, object, ...finding };
    }
  }
}
