// Which options are there? For each: field, type, default, flag and meaning.
import { GATES, MODULE_LEVELS, STRINGS } from "./list-types.ts";
import { FLOAT, INT32, LEVEL } from "./number-types.ts";
import { row } from "./row.ts";
import {
  BOOL,
  DURATION,
  DURATION_OR_NUMBER,
  EXACT_DURATION,
  IP,
  IP_PORT,
  QUANTITY,
  STRING,
  VERSION,
} from "./scalar-types.ts";

const HOUR = 3_600_000_000_000n;
const MINUTE = 60_000_000_000n;
const SECOND = 1_000_000_000n;

/**
 * Every field of a KubeProxyConfiguration (v1alpha1) by its path, and two of ours, `iptables.layout` and
 * `ipvs.fallback`. A `flag` sets exactly that field. Defaults that depend on other fields stand in `defaults.ts`.
 */
export const FIELDS = {
  featureGates: row(
    GATES,
    {},
    { flag: "feature-gates", omitted: true, rules: true, meaning: "Feature gates to switch on or off." },
  ),
  "clientConnection.kubeconfig": row(STRING, "", {
    flag: "kubeconfig",
    meaning: "File that says how to reach the API server; without it and --master the Pod's service account is used.",
  }),
  "clientConnection.acceptContentTypes": row(STRING, "", { meaning: "Accept header sent to the API server." }),
  "clientConnection.contentType": row(STRING, "application/vnd.kubernetes.protobuf", {
    flag: "kube-api-content-type",
    meaning: "Content type asked of the API server; accepted, JSON is spoken all the same.",
  }),
  "clientConnection.qps": row(FLOAT, 5, {
    flag: "kube-api-qps",
    meaning: "Requests a second to the API server, on average.",
  }),
  "clientConnection.burst": row(INT32, 10, {
    flag: "kube-api-burst",
    meaning: "Requests to the API server that may come at once.",
  }),
  "logging.format": row(STRING, "text", { flag: "logging-format", meaning: "Form of the log: text or json." }),
  "logging.flushFrequency": row(DURATION_OR_NUMBER, 5n * SECOND, {
    flag: "log-flush-frequency",
    meaning: "Longest time that a log line is held back.",
  }),
  "logging.verbosity": row(LEVEL, 0, {
    flag: "v",
    letter: "v",
    meaning: "How much is logged; more with every number.",
  }),
  "logging.vmodule": row(MODULE_LEVELS, [], {
    flag: "vmodule",
    omitted: true,
    meaning: "Log levels of single source files, in text format only.",
  }),
  "logging.options.text.splitStream": row(BOOL, false, {
    flag: "log-text-split-stream",
    omitted: true,
    meaning: "Text log: errors to standard error, the rest to standard output (gate LoggingAlphaOptions).",
  }),
  "logging.options.text.infoBufferSize": row(QUANTITY, "0", {
    flag: "log-text-info-buffer-size",
    meaning: "Text log: bytes of the buffer of a split stream (gate LoggingAlphaOptions).",
  }),
  "logging.options.json.splitStream": row(BOOL, false, {
    flag: "log-json-split-stream",
    omitted: true,
    meaning: "JSON log: errors to standard error, the rest to standard output (gate LoggingAlphaOptions).",
  }),
  "logging.options.json.infoBufferSize": row(QUANTITY, "0", {
    flag: "log-json-info-buffer-size",
    meaning: "JSON log: bytes of the buffer of a split stream (gate LoggingAlphaOptions).",
  }),
  hostnameOverride: row(STRING, "", { meaning: "Name of this Node instead of the host's name." }),
  bindAddress: row(IP, "0.0.0.0", {
    flag: "bind-address",
    rules: true,
    meaning: "The node's own address where it is not to be asked of the Node object; nothing listens on it.",
  }),
  healthzBindAddress: row(IP_PORT, "0.0.0.0:10256", {
    flag: "healthz-bind-address",
    meaning: "Where the health server listens.",
  }),
  metricsBindAddress: row(IP_PORT, "127.0.0.1:10249", {
    flag: "metrics-bind-address",
    meaning: "Where the metrics server listens.",
  }),
  bindAddressHardFail: row(BOOL, false, {
    flag: "bind-address-hard-fail",
    meaning: "Exit when the health or metrics server cannot listen.",
  }),
  enableProfiling: row(BOOL, false, {
    flag: "profiling",
    meaning: "Serve profiles at /debug/pprof of the metrics server.",
  }),
  showHiddenMetricsForVersion: row(STRING, "", {
    flag: "show-hidden-metrics-for-version",
    meaning: "Show the metrics that this previous minor version has hidden.",
  }),
  mode: row(STRING, "", {
    flag: "proxy-mode",
    rules: true,
    meaning: "How Services are served: iptables (the default), ipvs or nftables.",
  }),
  "iptables.masqueradeBit": row(INT32, 14, {
    flag: "iptables-masquerade-bit",
    pointer: true,
    rules: true,
    meaning: "Bit of the packet mark for what must be masqueraded, in iptables and ipvs mode.",
  }),
  "iptables.masqueradeAll": row(BOOL, false, {
    meaning: "Masquerade all traffic to cluster IPs, in iptables and ipvs mode.",
  }),
  "iptables.localhostNodePorts": row(BOOL, true, {
    flag: "iptables-localhost-nodeports",
    pointer: true,
    rules: true,
    meaning: "Serve nodePorts at 127.0.0.1 too, in iptables mode.",
  }),
  "iptables.syncPeriod": row(DURATION, 30n * SECOND, {
    meaning: "Wait before a failed sync is tried again, in iptables mode.",
  }),
  "iptables.minSyncPeriod": row(DURATION, SECOND, { meaning: "Least time between two syncs, in iptables mode." }),
  "iptables.layout": row(STRING, "Compat", {
    flag: "iptables-layout",
    omitted: true,
    rules: true,
    meaning:
      "Compat: kube-proxy's chains; Indexed: the same in fewer rules, for many Services or endpoints; needs ipset.",
  }),
  "ipvs.syncPeriod": row(DURATION, 30n * SECOND, { meaning: "Longest time between two syncs, in ipvs mode." }),
  "ipvs.minSyncPeriod": row(DURATION, 0n, { meaning: "Least time between two syncs, in ipvs mode." }),
  "ipvs.scheduler": row(STRING, "", { flag: "ipvs-scheduler", rules: true, meaning: "IPVS scheduler; rr when empty." }),
  "ipvs.excludeCIDRs": row(STRINGS, null, {
    flag: "ipvs-exclude-cidrs",
    rules: true,
    meaning: "Ranges whose virtual servers are somebody else's and stay.",
  }),
  "ipvs.strictARP": row(BOOL, false, {
    flag: "ipvs-strict-arp",
    rules: true,
    meaning: "Do not answer ARP for addresses of other interfaces (arp_ignore, arp_announce).",
  }),
  "ipvs.tcpTimeout": row(DURATION, 0n, {
    flag: "ipvs-tcp-timeout",
    rules: true,
    meaning: "Timeout of idle TCP connections in IPVS; 0 leaves the kernel's.",
  }),
  "ipvs.tcpFinTimeout": row(DURATION, 0n, {
    flag: "ipvs-tcpfin-timeout",
    rules: true,
    meaning: "Timeout of TCP connections after FIN in IPVS; 0 leaves the kernel's.",
  }),
  "ipvs.udpTimeout": row(DURATION, 0n, {
    flag: "ipvs-udp-timeout",
    rules: true,
    meaning: "Timeout of UDP flows in IPVS; 0 leaves the kernel's.",
  }),
  "ipvs.fallback": row(STRING, "IPTables", {
    flag: "ipvs-fallback",
    omitted: true,
    rules: true,
    meaning: "Where IPVS is missing: IPTables runs iptables mode instead, None exits.",
  }),
  "nftables.masqueradeBit": row(INT32, 14, {
    pointer: true,
    meaning: "Bit of the packet mark for what must be masqueraded, in nftables mode.",
  }),
  "nftables.masqueradeAll": row(BOOL, false, { meaning: "Masquerade all traffic to cluster IPs, in nftables mode." }),
  "nftables.syncPeriod": row(DURATION, 30n * SECOND, {
    meaning: "Wait before a failed sync is tried again, in nftables mode.",
  }),
  "nftables.minSyncPeriod": row(DURATION, SECOND, { meaning: "Least time between two syncs, in nftables mode." }),
  "winkernel.networkName": row(STRING, "", { meaning: "Windows only; kept and not used." }),
  "winkernel.sourceVip": row(STRING, "", { meaning: "Windows only; kept and not used." }),
  "winkernel.enableDSR": row(BOOL, false, { meaning: "Windows only; kept and not used." }),
  "winkernel.rootHnsEndpointName": row(STRING, "", { meaning: "Windows only; kept and not used." }),
  "winkernel.forwardHealthCheckVip": row(BOOL, false, { meaning: "Windows only; kept and not used." }),
  detectLocalMode: row(STRING, "", {
    flag: "detect-local-mode",
    rules: true,
    meaning:
      "How local pods' traffic is told: ClusterCIDR (the default), NodeCIDR, BridgeInterface or InterfaceNamePrefix.",
  }),
  "detectLocal.bridgeInterface": row(STRING, "", {
    flag: "pod-bridge-interface",
    rules: true,
    meaning: "Bridge that local pods are on, for BridgeInterface.",
  }),
  "detectLocal.interfaceNamePrefix": row(STRING, "", {
    flag: "pod-interface-name-prefix",
    rules: true,
    meaning: "First part of the names of local pods' interfaces, for InterfaceNamePrefix.",
  }),
  clusterCIDR: row(STRING, "", {
    flag: "cluster-cidr",
    rules: true,
    meaning: "Range of all pods, or one of each family behind a comma, for ClusterCIDR.",
  }),
  nodePortAddresses: row(STRINGS, null, {
    flag: "nodeport-addresses",
    rules: true,
    meaning: "Ranges of node addresses that serve nodePorts, or the word primary; all when empty.",
  }),
  oomScoreAdj: row(INT32, -999, {
    flag: "oom-score-adj",
    pointer: true,
    meaning: "The process's oom_score_adj, from -1000 to 1000.",
  }),
  "conntrack.maxPerCore": row(INT32, 32768, {
    flag: "conntrack-max-per-core",
    pointer: true,
    meaning: "Tracked connections allowed for each CPU core; 0 leaves the limit and conntrack-min alone.",
  }),
  "conntrack.min": row(INT32, 131072, {
    flag: "conntrack-min",
    pointer: true,
    meaning: "Tracked connections allowed at least, however few the cores.",
  }),
  "conntrack.tcpEstablishedTimeout": row(EXACT_DURATION, 24n * HOUR, {
    flag: "conntrack-tcp-timeout-established",
    pointer: true,
    meaning: "Timeout of idle TCP connections in conntrack; 0 leaves it.",
  }),
  "conntrack.tcpCloseWaitTimeout": row(EXACT_DURATION, HOUR, {
    flag: "conntrack-tcp-timeout-close-wait",
    pointer: true,
    meaning: "Timeout of TCP connections in CLOSE_WAIT in conntrack; 0 leaves it.",
  }),
  "conntrack.tcpBeLiberal": row(BOOL, false, {
    flag: "conntrack-tcp-be-liberal",
    rules: true,
    meaning: "Let conntrack accept TCP packets outside the window.",
  }),
  "conntrack.udpTimeout": row(DURATION, 0n, {
    flag: "conntrack-udp-timeout",
    meaning: "Timeout of UDP flows without an answer in conntrack; 0 leaves it.",
  }),
  "conntrack.udpStreamTimeout": row(DURATION, 0n, {
    flag: "conntrack-udp-timeout-stream",
    meaning: "Timeout of answered UDP flows in conntrack; 0 leaves it.",
  }),
  configSyncPeriod: row(DURATION, 15n * MINUTE, {
    flag: "config-sync-period",
    meaning: "How often each known object is delivered again.",
  }),
  portRange: row(STRING, "", { meaning: "Left from the userspace proxy; kept and not used." }),
  windowsRunAsService: row(BOOL, false, { omitted: true, meaning: "Windows only; kept and not used." }),
} as const;

/** Flags that set no single field: of the invocation, or for the section of whichever mode runs. */
export const FLAGS = {
  help: row(BOOL, false, { flag: "help", letter: "h", meaning: "Print this and exit." }),
  version: row(VERSION, "false", {
    flag: "version",
    meaning: "Print the version and exit, with =raw all that is known of it; with =vX.Y.Z… report that one instead.",
  }),
  config: row(STRING, "", {
    flag: "config",
    rules: true,
    meaning: "File with the whole configuration; flags that configure are then ignored.",
  }),
  "write-config-to": row(STRING, "", {
    flag: "write-config-to",
    meaning: "Write the configuration to this file and exit.",
  }),
  cleanup: row(BOOL, false, { flag: "cleanup", meaning: "Remove all rules and exit." }),
  "init-only": row(BOOL, false, { flag: "init-only", meaning: "Do what needs privileges and exit." }),
  master: row(STRING, "", { flag: "master", meaning: "URL of the API server, before the one in the kubeconfig." }),
  "hostname-override": row(STRING, "", {
    flag: "hostname-override",
    meaning: "Name of this Node instead of the host's name, before the one in the configuration file.",
  }),
  "healthz-port": row(INT32, 10256, {
    flag: "healthz-port",
    deprecated: "--healthz-bind-address",
    meaning: "Port of the health server where its address has none; 0 switches it off.",
  }),
  "metrics-port": row(INT32, 10249, {
    flag: "metrics-port",
    deprecated: "--metrics-bind-address",
    meaning: "Port of the metrics server where its address has none.",
  }),
  "masquerade-all": row(BOOL, false, {
    flag: "masquerade-all",
    rules: true,
    meaning: "Masquerade all traffic to cluster IPs, whichever mode runs.",
  }),
  "iptables-sync-period": row(DURATION, 30n * SECOND, {
    flag: "iptables-sync-period",
    meaning: "Wait before a failed sync is tried again, unless in ipvs mode.",
  }),
  "iptables-min-sync-period": row(DURATION, SECOND, {
    flag: "iptables-min-sync-period",
    meaning: "Least time between two syncs, unless in ipvs mode.",
  }),
  "ipvs-sync-period": row(DURATION, 30n * SECOND, {
    flag: "ipvs-sync-period",
    meaning: "Longest time between two syncs, in ipvs mode.",
  }),
  "ipvs-min-sync-period": row(DURATION, SECOND, {
    flag: "ipvs-min-sync-period",
    meaning: "Least time between two syncs, in ipvs mode.",
  }),
  "machine-id-file": row(STRING, "/etc/machine-id,/var/lib/dbus/machine-id", {
    flag: "machine-id-file",
    meaning: "Accepted and not used.",
  }),
  "boot-id-file": row(STRING, "/proc/sys/kernel/random/boot_id", {
    flag: "boot-id-file",
    meaning: "Accepted and not used.",
  }),
} as const;
