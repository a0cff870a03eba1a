// Which checks are there?
import type { ClusterCheck, ServiceCheck } from "./check.ts";
import { addressConflict } from "./checks/address-conflict.ts";
import { addressFamily } from "./checks/address-family.ts";
import { affinityMemory } from "./checks/affinity-memory.ts";
import { duplicateEndpoint } from "./checks/duplicate-endpoint.ts";
import { endpointAddress } from "./checks/endpoint-address.ts";
import { endpointsUnused } from "./checks/endpoints-unused.ts";
import { externalIPSort } from "./checks/external-ip-sort.ts";
import { externalIPsOff } from "./checks/external-ips-off.ts";
import { externalName } from "./checks/external-name.ts";
import { externalPolicy } from "./checks/external-policy.ts";
import { familyWithoutEndpoints } from "./checks/family-without-endpoints.ts";
import { foreignClusterIP } from "./checks/foreign-cluster-ip.ts";
import { healthPort } from "./checks/health-port.ts";
import { healthPortConflict } from "./checks/health-port-conflict.ts";
import { hintsIncomplete } from "./checks/hints-incomplete.ts";
import { hintsWithoutZone } from "./checks/hints-without-zone.ts";
import { ingressProxy } from "./checks/ingress-proxy.ts";
import { layout } from "./checks/layout.ts";
import { localNodePort } from "./checks/local-node-port.ts";
import { localPolicy } from "./checks/local-policy.ts";
import { localPolicyAndTopology } from "./checks/local-policy-and-topology.ts";
import { noClusterIP } from "./checks/no-cluster-ip.ts";
import { noEndpoints } from "./checks/no-endpoints.ts";
import { nodeAddress } from "./checks/node-address.ts";
import { nodePortAddress } from "./checks/node-port-address.ts";
import { nodePortConflict } from "./checks/node-port-conflict.ts";
import { nodeWithoutZone } from "./checks/node-without-zone.ts";
import { onlyTerminating } from "./checks/only-terminating.ts";
import { podRange } from "./checks/pod-range.ts";
import { portWithoutSlicePort } from "./checks/port-without-slice-port.ts";
import { publishNotReady } from "./checks/publish-not-ready.ts";
import { sctpMultihoming } from "./checks/sctp-multihoming.ts";
import { secondAddress } from "./checks/second-address.ts";
import { setSize } from "./checks/set-size.ts";
import { sliceFamily } from "./checks/slice-family.ts";
import { sliceHeadless } from "./checks/slice-headless.ts";
import { sliceOfHostNames } from "./checks/slice-of-host-names.ts";
import { sliceWithoutService } from "./checks/slice-without-service.ts";
import { sourceRangesAnnotation } from "./checks/source-ranges-annotation.ts";
import { sourceRangesBypass } from "./checks/source-ranges-bypass.ts";
import { sourceRangesFamily } from "./checks/source-ranges-family.ts";
import { sourceRangesOpen } from "./checks/source-ranges-open.ts";
import { sourceRangesUnused } from "./checks/source-ranges-unused.ts";
import { targetPortDiffers } from "./checks/target-port-differs.ts";
import { targetPortUnknown } from "./checks/target-port-unknown.ts";
import { topologyAnnotation } from "./checks/topology-annotation.ts";
import { trafficDistribution } from "./checks/traffic-distribution.ts";
import { typeIgnored } from "./checks/type-ignored.ts";
import { wishWithoutHints } from "./checks/wish-without-hints.ts";

export const SERVICE_CHECKS: readonly ServiceCheck[] = [
  addressFamily,
  affinityMemory,
  duplicateEndpoint,
  endpointAddress,
  externalIPSort,
  externalIPsOff,
  externalName,
  externalPolicy,
  familyWithoutEndpoints,
  healthPort,
  hintsIncomplete,
  hintsWithoutZone,
  ingressProxy,
  localNodePort,
  localPolicyAndTopology,
  localPolicy,
  noClusterIP,
  noEndpoints,
  nodePortAddress,
  onlyTerminating,
  portWithoutSlicePort,
  publishNotReady,
  sctpMultihoming,
  sourceRangesAnnotation,
  sourceRangesBypass,
  sourceRangesFamily,
  sourceRangesOpen,
  sourceRangesUnused,
  targetPortDiffers,
  targetPortUnknown,
  topologyAnnotation,
  trafficDistribution,
  typeIgnored,
  wishWithoutHints,
];

export const CLUSTER_CHECKS: readonly ClusterCheck[] = [
  addressConflict,
  endpointsUnused,
  foreignClusterIP,
  healthPortConflict,
  layout,
  nodeAddress,
  nodePortConflict,
  nodeWithoutZone,
  podRange,
  secondAddress,
  setSize,
  sliceFamily,
  sliceHeadless,
  sliceOfHostNames,
  sliceWithoutService,
];
