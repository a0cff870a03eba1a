// What is wrong with a configuration?
import type { Config } from "./config.ts";
import { printDuration } from "./duration.ts";
import { gateProblem } from "./feature-gates.ts";
import { invalid, unsupported } from "./field-problem.ts";
import { runningOf } from "./running.ts";
import {
  validateCidrs,
  validateClusterCIDRs,
  validateNodePortAddresses,
  validateServerAddresses,
} from "./validate-addresses.ts";
import { validateLogging } from "./validate-logging.ts";

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

// The minor version before the one whose behaviour we follow.
const PREVIOUS_MINOR = "1.35";

/** All problems, worded as kube-proxy words them and in its order; none for what it accepts. */
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

/** One problem as itself, several as `[p1, p2]`; the same one only once. */
export function printProblems(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct.join("") : `[${distinct.join(", ")}]`;
}

function validateGates({ featureGates }: Config): readonly string[] {
  const problem = gateProblem(featureGates);
  return problem === undefined ? [] : [invalid(`${ROOT}.featureGates`, featureGates, problem)];
}

/** The sections of the modes; that of iptables in every mode. */
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
  const { syncPeriod, minSyncPeriod } = runningOf(config);
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
