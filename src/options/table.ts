// Lists all options: configuration field, type, default, flag and help text.
import {
  BOOL,
  DURATION,
  DURATION_OR_NUMBER,
  EXACT_DURATION,
  FLOAT,
  GATES,
  INT32,
  IP,
  IP_PORT,
  LEVEL,
  MODULE_LEVELS,
  QUANTITY,
  STRING,
  STRINGS,
  VERSION,
} from "./option-types.ts";
import type { Plain, ValueType } from "./value-type.ts";

const HOUR = 3_600_000_000_000n;
const MINUTE = 60_000_000_000n;
const SECOND = 1_000_000_000n;

/**
 * Every field of a KubeProxyConfiguration (v1alpha1) by its path, and two additional fields, `iptables.layout` and
 * `ipvs.fallback`. A `flag` sets exactly that field. For defaults that depend on other fields see `defaults.ts`.
 */
export const FIELDS = {
  featureGates: row(
    GATES,
    {},
    {
      flag: "feature-gates",
      omitted: true,
      rules: true,
      meaning: "Feature gates to enable or disable, such as NativeHistograms=true.",
    },
  ),
  "clientConnection.kubeconfig": row(STRING, "", {
    flag: "kubeconfig",
    meaning: "Path to a kubeconfig file; without it and without --master, use the service account of the Pod.",
  }),
  "clientConnection.acceptContentTypes": row(STRING, "", { meaning: "Accept header sent to the API server." }),
  "clientConnection.contentType": row(STRING, "application/vnd.kubernetes.protobuf", {
    flag: "kube-api-content-type",
    meaning: "Content type of requests to the API server; accepted, but requests always use JSON.",
  }),
  "clientConnection.qps": row(FLOAT, 5, {
    flag: "kube-api-qps",
    meaning: "Average number of requests per second to the API server.",
  }),
  "clientConnection.burst": row(INT32, 10, {
    flag: "kube-api-burst",
    meaning: "Maximum number of requests to the API server in a burst.",
  }),
  "logging.format": row(STRING, "text", { flag: "logging-format", meaning: "Log format: text or json." }),
  "logging.flushFrequency": row(DURATION_OR_NUMBER, 5n * SECOND, {
    flag: "log-flush-frequency",
    meaning: "Maximum interval between log flushes.",
  }),
  "logging.verbosity": row(LEVEL, 0, {
    flag: "v",
    letter: "v",
    meaning: "Log verbosity; a higher number logs more.",
  }),
  "logging.vmodule": row(MODULE_LEVELS, [], {
    flag: "vmodule",
    omitted: true,
    meaning: "Log verbosity per source file; text format only.",
  }),
  "logging.options.text.splitStream": row(BOOL, false, {
    flag: "log-text-split-stream",
    omitted: true,
    meaning:
      "Text format: write errors to standard error and info to standard output (feature gate LoggingAlphaOptions).",
  }),
  "logging.options.text.infoBufferSize": row(QUANTITY, "0", {
    flag: "log-text-info-buffer-size",
    meaning: "Text format: buffer size in bytes of a split stream (feature gate LoggingAlphaOptions).",
  }),
  "logging.options.json.splitStream": row(BOOL, false, {
    flag: "log-json-split-stream",
    omitted: true,
    meaning:
      "JSON format: write errors to standard error and info to standard output (feature gate LoggingAlphaOptions).",
  }),
  "logging.options.json.infoBufferSize": row(QUANTITY, "0", {
    flag: "log-json-info-buffer-size",
    meaning: "JSON format: buffer size in bytes of a split stream (feature gate LoggingAlphaOptions).",
  }),
  hostnameOverride: row(STRING, "", { meaning: "Node name to use instead of the hostname." }),
  bindAddress: row(IP, "0.0.0.0", {
    flag: "bind-address",
    rules: true,
    meaning: "IP address of the node; overrides the address in the Node object. Nothing listens on it.",
  }),
  healthzBindAddress: row(IP_PORT, "0.0.0.0:10256", {
    flag: "healthz-bind-address",
    meaning: "IP address and port of the health check server; --healthz-port=0 disables it.",
  }),
  metricsBindAddress: row(IP_PORT, "127.0.0.1:10249", {
    flag: "metrics-bind-address",
    meaning: "IP address and port of the metrics server.",
  }),
  bindAddressHardFail: row(BOOL, false, {
    flag: "bind-address-hard-fail",
    meaning: "Exit if the health check or metrics server cannot bind to its port.",
  }),
  enableProfiling: row(BOOL, false, {
    flag: "profiling",
    meaning: "Serve profiles at /debug/pprof on the metrics server.",
  }),
  showHiddenMetricsForVersion: row(STRING, "", {
    flag: "show-hidden-metrics-for-version",
    meaning: "Show metrics that were hidden since this previous minor version.",
  }),
  mode: row(STRING, "", {
    flag: "proxy-mode",
    rules: true,
    meaning: "Proxy mode: iptables (the default), ipvs or nftables.",
  }),
  "iptables.masqueradeBit": row(INT32, 14, {
    flag: "iptables-masquerade-bit",
    pointer: true,
    rules: true,
    meaning: "Bit of the packet mark (fwmark) that requests masquerading, in iptables and ipvs mode.",
  }),
  "iptables.masqueradeAll": row(BOOL, false, {
    meaning: "Masquerade all traffic to cluster IPs, in iptables and ipvs mode.",
  }),
  "iptables.localhostNodePorts": row(BOOL, true, {
    flag: "iptables-localhost-nodeports",
    pointer: true,
    rules: true,
    meaning: "Accept connections to node ports on 127.0.0.1, in iptables mode.",
  }),
  "iptables.syncPeriod": row(DURATION, 30n * SECOND, {
    meaning: "Interval between retries of a failed sync, in iptables mode.",
  }),
  "iptables.minSyncPeriod": row(DURATION, SECOND, { meaning: "Minimum interval between syncs, in iptables mode." }),
  "iptables.layout": row(STRING, "Compat", {
    flag: "iptables-layout",
    omitted: true,
    rules: true,
    meaning:
      "Layout of iptables rules: Compat (kube-proxy's chains) or Indexed (faster with many Services or endpoints; needs ipset).",
  }),
  "ipvs.syncPeriod": row(DURATION, 30n * SECOND, { meaning: "Maximum interval between syncs, in ipvs mode." }),
  "ipvs.minSyncPeriod": row(DURATION, 0n, { meaning: "Minimum interval between syncs, in ipvs mode." }),
  "ipvs.scheduler": row(STRING, "", {
    flag: "ipvs-scheduler",
    rules: true,
    meaning: "IPVS scheduler; empty means rr.",
  }),
  "ipvs.excludeCIDRs": row(STRINGS, null, {
    flag: "ipvs-exclude-cidrs",
    rules: true,
    meaning: "CIDRs whose virtual servers belong to other programs and are never changed.",
  }),
  "ipvs.strictARP": row(BOOL, false, {
    flag: "ipvs-strict-arp",
    rules: true,
    meaning: "Set arp_ignore to 1 and arp_announce to 2, so that the node does not answer ARP for kube-ipvs0.",
  }),
  "ipvs.tcpTimeout": row(DURATION, 0n, {
    flag: "ipvs-tcp-timeout",
    rules: true,
    meaning: "IPVS timeout of idle TCP connections; 0 keeps the kernel's value.",
  }),
  "ipvs.tcpFinTimeout": row(DURATION, 0n, {
    flag: "ipvs-tcpfin-timeout",
    rules: true,
    meaning: "IPVS timeout of TCP connections after FIN; 0 keeps the kernel's value.",
  }),
  "ipvs.udpTimeout": row(DURATION, 0n, {
    flag: "ipvs-udp-timeout",
    rules: true,
    meaning: "IPVS timeout of UDP packets; 0 keeps the kernel's value.",
  }),
  "ipvs.fallback": row(STRING, "IPTables", {
    flag: "ipvs-fallback",
    omitted: true,
    rules: true,
    meaning: "Behavior if the kernel lacks IPVS: IPTables (use iptables mode) or None (exit).",
  }),
  "nftables.masqueradeBit": row(INT32, 14, {
    pointer: true,
    meaning: "Bit of the packet mark (fwmark) that requests masquerading, in nftables mode.",
  }),
  "nftables.masqueradeAll": row(BOOL, false, { meaning: "Masquerade all traffic to cluster IPs, in nftables mode." }),
  "nftables.syncPeriod": row(DURATION, 30n * SECOND, {
    meaning: "Interval between retries of a failed sync, in nftables mode.",
  }),
  "nftables.minSyncPeriod": row(DURATION, SECOND, { meaning: "Minimum interval between syncs, in nftables mode." }),
  "winkernel.networkName": row(STRING, "", { meaning: "Windows only; ignored." }),
  "winkernel.sourceVip": row(STRING, "", { meaning: "Windows only; ignored." }),
  "winkernel.enableDSR": row(BOOL, false, { meaning: "Windows only; ignored." }),
  "winkernel.rootHnsEndpointName": row(STRING, "", { meaning: "Windows only; ignored." }),
  "winkernel.forwardHealthCheckVip": row(BOOL, false, { meaning: "Windows only; ignored." }),
  detectLocalMode: row(STRING, "", {
    flag: "detect-local-mode",
    rules: true,
    meaning:
      "How traffic from local pods is detected: ClusterCIDR (the default), NodeCIDR, BridgeInterface or InterfaceNamePrefix.",
  }),
  "detectLocal.bridgeInterface": row(STRING, "", {
    flag: "pod-bridge-interface",
    rules: true,
    meaning: "Bridge interface of local pods, for --detect-local-mode=BridgeInterface.",
  }),
  "detectLocal.interfaceNamePrefix": row(STRING, "", {
    flag: "pod-interface-name-prefix",
    rules: true,
    meaning: "Name prefix of the interfaces of local pods, for --detect-local-mode=InterfaceNamePrefix.",
  }),
  clusterCIDR: row(STRING, "", {
    flag: "cluster-cidr",
    rules: true,
    meaning: "CIDR of all pods, or a comma-separated dual-stack pair, for --detect-local-mode=ClusterCIDR.",
  }),
  nodePortAddresses: row(STRINGS, null, {
    flag: "nodeport-addresses",
    rules: true,
    meaning: "CIDRs of node addresses that accept node port connections, or primary; empty means all addresses.",
  }),
  oomScoreAdj: row(INT32, -999, {
    flag: "oom-score-adj",
    pointer: true,
    meaning: "The oom_score_adj of the process, from -1000 to 1000.",
  }),
  "conntrack.maxPerCore": row(INT32, 32768, {
    flag: "conntrack-max-per-core",
    pointer: true,
    meaning: "Maximum number of conntrack entries per CPU core; 0 keeps the limit and ignores --conntrack-min.",
  }),
  "conntrack.min": row(INT32, 131072, {
    flag: "conntrack-min",
    pointer: true,
    meaning: "Minimum of the conntrack limit, regardless of --conntrack-max-per-core.",
  }),
  "conntrack.tcpEstablishedTimeout": row(EXACT_DURATION, 24n * HOUR, {
    flag: "conntrack-tcp-timeout-established",
    pointer: true,
    meaning: "Conntrack timeout of idle TCP connections; 0 keeps the kernel's value.",
  }),
  "conntrack.tcpCloseWaitTimeout": row(EXACT_DURATION, HOUR, {
    flag: "conntrack-tcp-timeout-close-wait",
    pointer: true,
    meaning: "Conntrack timeout of TCP connections in CLOSE_WAIT; 0 keeps the kernel's value.",
  }),
  "conntrack.tcpBeLiberal": row(BOOL, false, {
    flag: "conntrack-tcp-be-liberal",
    rules: true,
    meaning: "Set nf_conntrack_tcp_be_liberal, so that conntrack accepts TCP packets outside of the window.",
  }),
  "conntrack.udpTimeout": row(DURATION, 0n, {
    flag: "conntrack-udp-timeout",
    meaning: "Conntrack timeout of UDP flows without a reply; 0 keeps the kernel's value.",
  }),
  "conntrack.udpStreamTimeout": row(DURATION, 0n, {
    flag: "conntrack-udp-timeout-stream",
    meaning: "Conntrack timeout of UDP flows with replies; 0 keeps the kernel's value.",
  }),
  configSyncPeriod: row(DURATION, 15n * MINUTE, {
    flag: "config-sync-period",
    meaning: "Interval at which all objects are resynchronized from the cache.",
  }),
  portRange: row(STRING, "", { meaning: "Used only by the removed userspace mode; ignored." }),
  windowsRunAsService: row(BOOL, false, { omitted: true, meaning: "Windows only; ignored." }),
} as const;

/** Flags that do not correspond to one field: they select a command, or apply to the section of the proxy mode. */
export const FLAGS = {
  help: row(BOOL, false, { flag: "help", letter: "h", meaning: "Print this help and exit." }),
  version: row(VERSION, "false", {
    flag: "version",
    meaning:
      "Print the version and exit; --version=raw prints build details, --version=vX.Y.Z sets the reported version.",
  }),
  config: row(STRING, "", {
    flag: "config",
    rules: true,
    meaning: "Path to a KubeProxyConfiguration file; its values replace those of other flags.",
  }),
  "write-config-to": row(STRING, "", {
    flag: "write-config-to",
    meaning: "Write the effective configuration to this file as YAML and exit.",
  }),
  cleanup: row(BOOL, false, { flag: "cleanup", meaning: "Remove all fairlead and kube-proxy rules and exit." }),
  "init-only": row(BOOL, false, {
    flag: "init-only",
    meaning: "Perform the initialization that needs privileges and exit.",
  }),
  master: row(STRING, "", { flag: "master", meaning: "Address of the API server; overrides the kubeconfig." }),
  "hostname-override": row(STRING, "", {
    flag: "hostname-override",
    meaning: "Node name to use instead of the hostname; overrides the configuration file.",
  }),
  "healthz-port": row(INT32, 10256, {
    flag: "healthz-port",
    deprecated: "--healthz-bind-address",
    meaning: "Port of the health check server if its address has none; 0 disables the server.",
  }),
  "metrics-port": row(INT32, 10249, {
    flag: "metrics-port",
    deprecated: "--metrics-bind-address",
    meaning: "Port of the metrics server if its address has none; it cannot be disabled.",
  }),
  "masquerade-all": row(BOOL, false, {
    flag: "masquerade-all",
    rules: true,
    meaning: "Masquerade all traffic to cluster IPs, in every mode.",
  }),
  "iptables-sync-period": row(DURATION, 30n * SECOND, {
    flag: "iptables-sync-period",
    meaning: "Interval between retries of a failed sync, in iptables and nftables mode.",
  }),
  "iptables-min-sync-period": row(DURATION, SECOND, {
    flag: "iptables-min-sync-period",
    meaning: "Minimum interval between syncs, in iptables and nftables mode.",
  }),
  "ipvs-sync-period": row(DURATION, 30n * SECOND, {
    flag: "ipvs-sync-period",
    meaning: "Maximum interval between syncs, in ipvs mode.",
  }),
  "ipvs-min-sync-period": row(DURATION, SECOND, {
    flag: "ipvs-min-sync-period",
    meaning: "Minimum interval between syncs, in ipvs mode.",
  }),
  "machine-id-file": row(STRING, "/etc/machine-id,/var/lib/dbus/machine-id", {
    flag: "machine-id-file",
    meaning: "Accepted for compatibility; ignored.",
  }),
  "boot-id-file": row(STRING, "/proc/sys/kernel/random/boot_id", {
    flag: "boot-id-file",
    meaning: "Accepted for compatibility; ignored.",
  }),
} as const;

/** Properties of an option apart from its type and default. */
export interface RowInfo {
  /** Help text: one sentence. */
  readonly meaning: string;
  /** Name of its flag, without dashes. */
  readonly flag?: string;
  /** One-letter flag. */
  readonly letter?: string;
  /** A pointer in kube-proxy's Go type: in a file, zero is a value, and only null means the default. */
  readonly pointer?: true;
  /** Omitted from the printed configuration if it has its default value (`omitempty`). */
  readonly omitted?: true;
  /** The option affects rules, so the offline commands (`render`, `diff` and others) accept it too. */
  readonly rules?: true;
  /** The replacement of a deprecated flag. */
  readonly deprecated?: string;
}

/** One option: its properties, value type and default. */
export interface Row<T> extends RowInfo {
  readonly type: ValueType<T>;
  readonly default: T;
}

/** Builds one row of the table. */
export function row<T>(type: ValueType<T>, initial: NoInfer<T>, about: RowInfo): Row<T> {
  return { ...about, type, default: initial };
}

/** The part of a row that `--help` prints. */
export interface FlagRow extends RowInfo {
  readonly flag: string;
  /** Name of the value type; a `bool` flag needs no value. */
  readonly typeName: string;
  readonly defaultValue: Plain;
}

/** Converts a row to a flag; undefined if the field has none. */
export function flagRowOf<T>(given: Row<T>): FlagRow | undefined {
  const { type, default: initial, flag, ...about } = given;
  return flag === undefined ? undefined : { ...about, flag, typeName: type.name, defaultValue: type.print(initial) };
}

type Fields = typeof FIELDS;

/**
 * The configuration with defaults, not yet validated. Sync periods and masqueradeAll are set only in the section of the
 * proxy mode (see `withModeSettings` in `defaults.ts`); they are zero in the other sections.
 */
export type Config = { readonly [K in keyof Fields]: Fields[K] extends Row<infer T> ? T : never };

export type FieldName = keyof Config;

/** The rows of all fields. */
export const ROWS: { readonly [K in FieldName]: Row<Config[K]> } = FIELDS;

/** All fields, in the order of the table. */
export const FIELD_NAMES: readonly FieldName[] = Object.keys(FIELDS).filter(isFieldName);

export function isFieldName(path: string): path is FieldName {
  return Object.hasOwn(FIELDS, path);
}

/** Returns the configuration with one field replaced. */
export function withField<K extends FieldName>(config: Config, name: K, value: Config[K]): Config {
  return { ...config, [name]: value };
}
