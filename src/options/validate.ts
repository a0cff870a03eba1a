// Validates a KubeProxyConfiguration, with the paths and words of kube-proxy.

import { parseAddress } from "../net/address.ts";
import { parseCidr } from "../net/cidr.ts";
import { modeSettingsOf } from "./defaults.ts";
import { printDuration } from "./duration.ts";
import { gateEnabled, gateProblem } from "./feature-gates.ts";
import { splitHostPort } from "./host-port.ts";
import type { Config } from "./table.ts";
import type { Plain } from "./value-type.ts";

const ROOT = "KubeProxyConfiguration";
const CONNTRACK = `${ROOT}.KubeProxyLinuxConfiguration.KubeProxyConntrackConfiguration`;
const LOCAL = `${ROOT}.DetectLocalConfiguration`;

const NOT_NEGATIVE = "must be greater than or equal to 0";
const POSITIVE = "must be greater than 0";
const MODE = "must be iptables, ipvs, nftables or blank (blank means the best-available proxy [currently iptables])";

const MODES: readonly string[] = ["", "iptables", "ipvs", "nftables"];
const LOCAL_MODES: readonly string[] = ["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix", ""];
const LAYOUTS: readonly string[] = ["Compat", "Indexed"];
const FALLBACKS: readonly string[] = ["IPTables", "None"];

// The minor version before Kubernetes 1.36.
const PREVIOUS_MINOR = "1.35";

/** Returns all problems with the texts and in the order of kube-proxy (`pkg/proxy/apis/config/validation`). */
export function validateConfig(config: Config): readonly string[] {
  return [
    ...validateGates(config),
    ...validateSections(config),
    ...validateConntrack(config),
    ...validateBounds(`${ROOT}.KubeProxyLinuxConfiguration.OOMScoreAdj`, config.oomScoreAdj, [-1000, 1000]),
    ...(MODES.includes(config.mode) ? [] : [invalid(`${ROOT}.Mode.ProxyMode`, config.mode, MODE)]),
    ...validateNumber(`${ROOT}.ClientConnection.Burst`, config["clientConnection.burst"]),
    ...validatePeriods(config),
    ...validateServerAddresses(config, ROOT),
    ...validateNodePortAddresses(`${ROOT}.NodePortAddresses`, config.nodePortAddresses ?? []),
    ...validateHiddenMetrics(config.showHiddenMetricsForVersion),
    ...validateSupported(`${ROOT}.DetectLocalMode`, config.detectLocalMode, LOCAL_MODES),
    ...validateDetectLocal(config),
    ...validateLogging(config, `${ROOT}.logging`),
  ];
}

/** Prints one problem as it is and several as `[p1, p2]`, without duplicates, like Go's aggregate errors. */
export function printProblems(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct.join("") : `[${distinct.join(", ")}]`;
}

function validateGates({ featureGates }: Config): readonly string[] {
  const problem = gateProblem(featureGates);
  return problem === undefined ? [] : [invalid(`${ROOT}.featureGates`, featureGates, problem)];
}

/** Validates the section of the proxy mode, and the iptables section in every mode. */
function validateSections(config: Config): readonly string[] {
  const iptables = `${ROOT}.KubeProxyIPTablesConfiguration`;
  const nftables = `${ROOT}.KubeProxyNFTablesConfiguration`;
  return [
    ...validateBounds(`${iptables}.MasqueradeBit`, config["iptables.masqueradeBit"], [0, 31]),
    ...validateSupported(`${iptables}.Layout`, config["iptables.layout"], LAYOUTS),
    ...(config.mode === "ipvs" ? validateIPVS(config) : []),
    ...(config.mode === "nftables"
      ? validateBounds(`${nftables}.MasqueradeBit`, config["nftables.masqueradeBit"], [0, 31])
      : []),
  ];
}

function validateIPVS(config: Config): readonly string[] {
  const path = `${ROOT}.KubeProxyIPVSConfiguration`;
  return [
    ...validateDuration(`${path}.TCPTimeout`, config["ipvs.tcpTimeout"]),
    ...validateDuration(`${path}.TCPFinTimeout`, config["ipvs.tcpFinTimeout"]),
    ...validateDuration(`${path}.UDPTimeout`, config["ipvs.udpTimeout"]),
    ...validateCidrs(`${path}.ExcludeCidrs`, config["ipvs.excludeCIDRs"] ?? []),
    ...validateSupported(`${path}.Fallback`, config["ipvs.fallback"], FALLBACKS),
  ];
}

function validateConntrack(config: Config): readonly string[] {
  return [
    ...validateNumber(`${CONNTRACK}.MaxPerCore`, config["conntrack.maxPerCore"]),
    ...validateNumber(`${CONNTRACK}.Min`, config["conntrack.min"]),
    ...validateDuration(`${CONNTRACK}.TCPEstablishedTimeout`, config["conntrack.tcpEstablishedTimeout"]),
    ...validateDuration(`${CONNTRACK}.TCPCloseWaitTimeout`, config["conntrack.tcpCloseWaitTimeout"]),
    ...validateDuration(`${CONNTRACK}.UDPTimeout`, config["conntrack.udpTimeout"]),
    ...validateDuration(`${CONNTRACK}.UDPStreamTimeout`, config["conntrack.udpStreamTimeout"]),
  ];
}

function validatePeriods(config: Config): readonly string[] {
  const { syncPeriod, minSyncPeriod } = modeSettingsOf(config);
  const notLess = `must be greater than or equal to ${ROOT}.MinSyncPeriod`;
  return [
    ...validatePositive(`${ROOT}.ConfigSyncPeriod`, config.configSyncPeriod),
    ...validatePositive(`${ROOT}.SyncPeriod`, syncPeriod),
    ...validateDuration(`${ROOT}.MinSyncPeriod`, minSyncPeriod),
    ...(minSyncPeriod > syncPeriod ? [invalid(`${ROOT}.SyncPeriod`, printDuration(minSyncPeriod), notLess)] : []),
  ];
}

function validateDetectLocal(config: Config): readonly string[] {
  const bridge = config["detectLocal.bridgeInterface"];
  const prefix = config["detectLocal.interfaceNamePrefix"];
  switch (config.detectLocalMode) {
    case "ClusterCIDR":
      return validateClusterCIDRs(`${LOCAL}.ClusterCIDRs`, config.clusterCIDR);
    case "BridgeInterface":
      return bridge === "" ? [invalid(`${LOCAL}.InterfaceName`, bridge, "must not be empty")] : [];
    case "InterfaceNamePrefix":
      return prefix === "" ? [invalid(`${LOCAL}.InterfacePrefix`, prefix, "must not be empty")] : [];
    default:
      return [];
  }
}

function validateHiddenMetrics(version: string): readonly string[] {
  if (version === "" || version === PREVIOUS_MINOR) return [];
  const only = `--show-hidden-metrics-for-version must be omitted or have the value '${PREVIOUS_MINOR}'. Only the previous minor version is allowed`;
  return [invalid(`${ROOT}.ShowHiddenMetricsForVersion`, version, only)];
}

function validateBounds(path: string, value: number, [least, most]: readonly [number, number]): readonly string[] {
  return value < least || value > most ? [invalid(path, value, `must be within the range [${least}, ${most}]`)] : [];
}

function validateNumber(path: string, value: number): readonly string[] {
  return value < 0 ? [invalid(path, value, NOT_NEGATIVE)] : [];
}

function validateDuration(path: string, value: bigint): readonly string[] {
  return value < 0n ? [invalid(path, printDuration(value), NOT_NEGATIVE)] : [];
}

function validatePositive(path: string, value: bigint): readonly string[] {
  return value <= 0n ? [invalid(path, printDuration(value), POSITIVE)] : [];
}

function validateSupported(path: string, value: string, supported: readonly string[]): readonly string[] {
  return supported.includes(value) ? [] : [unsupported(path, value, supported)];
}

const NO_PAIR = "must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]";
const NO_CIDR_BLOCK = "must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)";

/** Validates the addresses of the servers. Only the address of the health check server may be empty. */
function validateServerAddresses(config: Config, root: string): readonly string[] {
  const { bindAddress, healthzBindAddress, metricsBindAddress } = config;
  const noAddress = "not a valid textual representation of an IP address";
  return [
    ...(parseAddress(bindAddress) ? [] : [invalid(`${root}.BindAddress`, bindAddress, noAddress)]),
    ...(healthzBindAddress === "" ? [] : validateHostPort(`${root}.HealthzBindAddress`, healthzBindAddress)),
    ...validateHostPort(`${root}.MetricsBindAddress`, metricsBindAddress),
  ];
}

/** Validates a list of CIDRs. */
function validateCidrs(path: string, cidrs: readonly string[]): readonly string[] {
  return cidrs.flatMap((cidr, index) => validateCidr(`${path}[${index}]`, cidr));
}

/** Validates a list of CIDRs, or the single entry `primary`; entries after `primary` are not validated. */
function validateNodePortAddresses(path: string, entries: readonly string[]): readonly string[] {
  const primary = entries.indexOf("primary");
  if (primary < 0) return validateCidrs(path, entries);
  const problems = validateCidrs(path, entries.slice(0, primary));
  if (entries.length === 1) return problems;
  return [...problems, invalid(`${path}[${primary}]`, "primary", "can't use both 'primary' and CIDRs")];
}

/** Validates `clusterCIDR`: one CIDR, or a comma-separated dual-stack pair without blanks. */
function validateClusterCIDRs(path: string, clusterCIDR: string): readonly string[] {
  if (clusterCIDR === "") return [];
  const cidrs = clusterCIDR.split(",");
  const read = cidrs.map(parseCidr);
  const problems = cidrs.flatMap((cidr, index) =>
    read[index] === undefined ? [invalid(`${path}[${index}]`, cidr, NO_CIDR_BLOCK)] : [],
  );
  const [first, second] = read;
  const sameFamily = first !== undefined && first.family === second?.family;
  return cidrs.length > 2 || sameFamily ? [...problems, invalid(path, cidrs, NO_PAIR)] : problems;
}

function validateCidr(path: string, cidr: string): readonly string[] {
  return parseCidr(cidr) ? [] : [invalid(path, cidr, "must be a valid CIDR")];
}

function validateHostPort(path: string, text: string): readonly string[] {
  const parts = splitHostPort(text);
  if ("wrong" in parts) return [invalid(path, text, "must be IP:port")];
  const port = /^[-+]?\d+$/.test(parts.port) ? Number(parts.port) : 0;
  return [
    ...(parseAddress(parts.host) ? [] : [invalid(path, parts.host, "must be a valid IP")]),
    ...(port >= 1 && port <= 65535 ? [] : [invalid(path, parts.port, "must be a valid port")]),
  ];
}

const HIGHEST_LEVEL = 2147483647;

/**
 * Validates `logging`, with paths below the given root. kube-proxy validates logging twice: alone with root `logging` when
 * it sets up its log, then within the whole configuration.
 */
export function validateLogging(config: Config, root: string): readonly string[] {
  const problems: string[] = [];
  const format = config["logging.format"];
  if (config["logging.flushFrequency"] <= 0n) {
    const value = printDuration(config["logging.flushFrequency"]);
    problems.push(invalid(`${root}.flushFrequency`, value, "Must be greater than zero"));
  }
  if (format !== "text" && format !== "json") {
    problems.push(invalid(`${root}.format`, format, "Unsupported log format"));
  }
  problems.push(...validateLevel(`${root}.verbosity`, config["logging.verbosity"]));
  if (config["logging.vmodule"].length > 0 && format !== "text") {
    problems.push(forbidden(`${root}.vmodule`, "Only supported for text log format"));
  }
  config["logging.vmodule"].forEach(({ filePattern, verbosity }, index) => {
    const path = `${root}.vmodule[${index}]`;
    if (filePattern === "") problems.push(required(path, "File pattern must not be empty"));
    if (/[=,]/.test(filePattern)) {
      problems.push(invalid(path, filePattern, "File pattern must not contain equal sign or comma"));
    }
    problems.push(...validateLevel(path, verbosity));
  });
  return [...problems, ...validateFormatOptions(config, `${root}.options`)];
}

function validateLevel(path: string, level: number): readonly string[] {
  return level > HIGHEST_LEVEL ? [invalid(path, level, `Must be <= ${HIGHEST_LEVEL}`)] : [];
}

function validateFormatOptions(config: Config, root: string): readonly string[] {
  if (gateEnabled(config.featureGates, "LoggingAlphaOptions")) return [];
  const disabled = (path: string) => forbidden(`${root}.${path}`, "Feature LoggingAlphaOptions is disabled");
  return (["text", "json"] as const).flatMap((format) => [
    ...(config[`logging.options.${format}.splitStream`] ? [disabled(`${format}.splitStream`)] : []),
    ...(config[`logging.options.${format}.infoBufferSize`] === "0" ? [] : [disabled(`${format}.infoBufferSize`)]),
  ]);
}

/** `PATH: Invalid value: VALUE: REASON`, the value as JSON. */
function invalid(path: string, value: Plain, reason: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${reason}`;
}

/** `PATH: Unsupported value: VALUE: supported values: "a", "b"`. */
function unsupported(path: string, value: string, supported: readonly string[]): string {
  const list = supported.map((each) => JSON.stringify(each)).join(", ");
  return `${path}: Unsupported value: ${JSON.stringify(value)}: supported values: ${list}`;
}

function forbidden(path: string, reason: string): string {
  return `${path}: Forbidden: ${reason}`;
}

function required(path: string, reason: string): string {
  return `${path}: Required value: ${reason}`;
}
