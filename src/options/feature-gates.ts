// Lists the feature gates of Kubernetes 1.36 and evaluates --feature-gates.

interface Gate {
  readonly stage: "alpha" | "beta" | "stable";
  readonly on: boolean;
  readonly locked?: true;
}

// As registered in Kubernetes 1.36, including the gates of the libraries of kube-proxy.
const GATES = {
  AllowServiceExternalIPs: { stage: "stable", on: true },
  ComponentFlagz: { stage: "beta", on: true },
  ComponentStatusz: { stage: "beta", on: true },
  ContextualLogging: { stage: "beta", on: true },
  LoggingAlphaOptions: { stage: "alpha", on: false },
  LoggingBetaOptions: { stage: "beta", on: true },
  MultiCIDRServiceAllocator: { stage: "stable", on: true, locked: true },
  NFTablesProxyMode: { stage: "stable", on: true, locked: true },
  NativeHistograms: { stage: "alpha", on: false },
  PreferSameTrafficDistribution: { stage: "stable", on: true, locked: true },
} as const satisfies Record<string, Gate>;

/** A gate that affects the node proxy. */
export type GateName = keyof typeof GATES;

/** The value of --feature-gates. */
export type GivenGates = Readonly<Record<string, boolean>>;

/** A gate with its effective value. */
export interface GateState {
  readonly name: string;
  readonly stage: Gate["stage"];
  readonly on: boolean;
}

const KNOWN: ReadonlyMap<string, Gate> = new Map(Object.entries(GATES));

// Groups set all gates of a stage; a gate that is set itself does not follow its group.
const GROUPS: ReadonlyMap<string, Gate["stage"]> = new Map([
  ["AllAlpha", "alpha"],
  ["AllBeta", "beta"],
]);

/** Returns kube-proxy's error for the first gate by name that is unknown or locked; undefined if all are valid. */
export function gateProblem(given: GivenGates): string | undefined {
  for (const [name, value] of Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const gate = KNOWN.get(name);
    if (gate === undefined && !GROUPS.has(name) && !UNUSED_GATES.has(name)) return `unrecognized feature gate: ${name}`;
    if (gate?.locked && value !== gate.on) {
      return `cannot set feature gate ${name} to ${value}, feature is locked to ${gate.on}`;
    }
  }
  return undefined;
}

/** Returns whether the gate is enabled. */
export function gateEnabled(given: GivenGates, name: GateName): boolean {
  return isOn(given, name, GATES[name]);
}

/** The gates that affect the node proxy, and the groups, sorted by name. */
export function gateStates(given: GivenGates): readonly GateState[] {
  const gates = [...KNOWN].map(([name, gate]) => ({ name, stage: gate.stage, on: isOn(given, name, gate) }));
  const groups = [...GROUPS].map(([name, stage]) => ({ name, stage, on: given[name] ?? false }));
  return [...gates, ...groups].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isOn(given: GivenGates, name: string, { stage, on }: Gate): boolean {
  const group = [...GROUPS].find(([, each]) => each === stage)?.[0];
  return given[name] ?? (group === undefined ? undefined : given[group]) ?? on;
}

/** The other gates of the release: accepted, without effect on a node proxy. */
export const UNUSED_GATES: ReadonlySet<string> = new Set(
  `
  APIResponseCompression APIServerIdentity APIServerTracing APIServingWithRoutine
  AggregatedDiscoveryRemoveBetaType AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests
  AllowOverwriteTerminationGracePeriodSeconds AllowParsingUserUIDFromCertAuth AllowUnsafeMalformedObjectDeletion
  AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AuthorizeNodeWithSelectors
  AuthorizePodWebsocketUpgradeCreatePermission AuthorizeWithSelectors BtreeWatchCache CBORServingAndStorage
  CPUManagerPolicyAlphaOptions CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDObservedGenerationTracking
  CRDValidationRatcheting CRIListStreaming CSIServiceAccountTokenSecrets CSIVolumeHealth
  ChangeContainerStatusOnKubeletRestart ClearingNominatedNodeNameAfterBinding
  CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ClusterTrustBundle
  ClusterTrustBundleProjection ConcurrentWatchObjectDecode ConsistentListFromCache ConstrainedImpersonation
  ContainerCheckpoint ContainerRestartRules ContainerStopSignals CoordinatedLeaderElection
  CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod CustomResourceFieldSelectors DRAAdminAccess
  DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaintRules DRADeviceTaints DRAExtendedResource
  DRAListTypeAttributes DRANodeAllocatableResources DRAPartitionableDevices DRAPrioritizedList
  DRAResourceClaimDeviceStatus DRAResourceClaimGranularStatusAuthorization DRAResourcePoolStatus
  DRASchedulerFilterTimeout DRAWorkloadResourceClaims DeclarativeValidation DeclarativeValidationBeta
  DeclarativeValidationTakeover DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency
  DisableAllocatorDualWrite DisableCPUQuotaWithExclusiveCPUs DisableNodeKubeProxyVersion DynamicResourceAllocation
  EnvFiles EventedPLEG ExecProbeTimeout ExtendWebSocketsToKubelet ExternalServiceAccountTokenSigner GangScheduling
  GenericWorkload GitRepoVolumeDriver GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority
  HPAConfigurableTolerance HPAScaleToZero HostnameOverride ImageMaximumGCAge ImageVolume ImageVolumeWithDigest
  InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory InPlacePodVerticalScalingInitContainers JobBackoffLimitPerIndex
  JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KMSv1 KubeletCgroupDriverFromCRI
  KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletFineGrainedAuthz KubeletInUserNamespace
  KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletPodResourcesListUseActivePods
  KubeletRegistrationGetOnExistsOnly KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders
  KubeletTracing ListFromCacheSnapshot LocalStorageCapacityIsolationFSQuotaMonitoring LogarithmicScaleDown
  ManifestBasedAdmissionControlConfig MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread
  MatchLabelKeysInPodTopologySpreadSelectorMerge MaxUnavailableStatefulSet MemoryQoS
  MutableCSINodeAllocatableCount MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs
  MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy NodeDeclaredFeatures
  NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap NominatedNodeNameForExpectation OpenAPIEnums
  OpportunisticBatching OrderedNamespaceDeletion PLEGOnDemandRelist PersistentVolumeClaimUnusedSinceTime
  PodAndContainerStatsFromCRI PodCertificateRequest PodDeletionCost PodLevelResourceManagers PodLevelResources
  PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodLogsQuerySplitStreams PodObservedGenerationTracking
  PodReadyToStartContainersCondition PodSchedulingReadiness PodTopologyLabelsAdmission PodsAPI
  PortForwardWebsockets PreventStaticPodAPIReferences ProcMountType QOSReserved RecoverVolumeExpansionFailure
  RecursiveReadOnlyMounts ReduceDefaultCrashLoopBackOffDecay RelaxedDNSSearchValidation
  RelaxedEnvironmentVariableValidation RelaxedServiceNameValidation ReloadKubeletClientCAFile
  ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResilientWatchCacheInitialization ResourceHealthStatus
  ResourceHealthStatusMessage RestartAllContainersOnContainerExits RetryGenerateName
  RotateKubeletServerCertificate RuntimeClassInImageCriApi SELinuxChangePolicy SELinuxMount
  SELinuxMountReadWriteOncePod SchedulerAsyncAPICalls SchedulerAsyncPreemption SchedulerPopFromBackoffQ
  SchedulerQueueingHints SeparateCacheWatchRPC SeparateTaintEvictionController
  ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
  ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo ServiceCIDRStatusFieldWiping
  ShardedListAndWatch SidecarContainers SizeBasedListCostEstimate StaleControllerConsistencyDaemonSet
  StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet
  StorageCapacityScoring StorageNamespaceIndex StorageVersionAPI StorageVersionHash StorageVersionMigrator
  StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StrictIPCIDRValidation
  StructuredAuthenticationConfiguration StructuredAuthenticationConfigurationEgressSelector
  StructuredAuthenticationConfigurationJWKSMetrics SupplementalGroupsPolicy SystemdWatchdog
  TaintTolerationComparisonOperators TokenRequestServiceAccountUIDValidation TopologyAwareWorkloadScheduling
  TopologyManagerPolicyAlphaOptions TopologyManagerPolicyBetaOptions TopologyManagerPolicyOptions
  TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy
  UserNamespacesHostNetworkSupport UserNamespacesSupport VolumeAttributesClass VolumeLimitScaling
  WatchCacheInitializationPostStartHook WatchList WinDSR WinOverlay WindowsCPUAndMemoryAffinity
  WindowsGracefulNodeShutdown WindowsHostNetwork WorkloadAwarePreemption WorkloadWithJob
  `
    .trim()
    .split(/\s+/),
);
