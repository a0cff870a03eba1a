// Defines the typed options that the rest of the program uses, and derives them from a configuration.
import { InputError } from "../errors.ts";
import { modeSettingsOf } from "./defaults.ts";
import { millisecondsOf } from "./duration.ts";
import { type GateState, gateEnabled, gateStates } from "./feature-gates.ts";
import type { ModuleLevel } from "./option-types.ts";
import type { Config } from "./table.ts";

const MODES = ["iptables", "ipvs", "nftables"] as const;
const LOCAL_MODES = ["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix"] as const;
const LAYOUTS = ["Compat", "Indexed"] as const;
const FALLBACKS = ["IPTables", "None"] as const;
const LOG_FORMATS = ["text", "json"] as const;

export type DetectLocalMode = (typeof LOCAL_MODES)[number];

/** Durations in milliseconds; 0 keeps the kernel's value. */
export interface ConntrackOptions {
  /** 0 keeps the limit and ignores `min`. */
  readonly maxPerCore: number;
  readonly min: number;
  readonly tcpEstablishedTimeout: number;
  readonly tcpCloseWaitTimeout: number;
  readonly tcpBeLiberal: boolean;
  readonly udpTimeout: number;
  readonly udpStreamTimeout: number;
}

/** Durations in milliseconds; 0 keeps the kernel's value. */
export interface IPVSOptions {
  /** Never empty. */
  readonly scheduler: string;
  readonly excludeCIDRs: readonly string[];
  readonly strictARP: boolean;
  readonly tcpTimeout: number;
  readonly tcpFinTimeout: number;
  readonly udpTimeout: number;
  /** Behavior if the kernel lacks IPVS: iptables mode, or exit. */
  readonly fallback: (typeof FALLBACKS)[number];
}

/** Client configuration for the API server. */
export interface ClientOptions {
  /** Empty: use the service account of the Pod. */
  readonly kubeconfig: string;
  readonly acceptContentTypes: string;
  readonly contentType: string;
  readonly qps: number;
  readonly burst: number;
}

export interface LoggingOptions {
  readonly format: (typeof LOG_FORMATS)[number];
  readonly verbosity: number;
  readonly vmodule: readonly ModuleLevel[];
  /** Milliseconds. */
  readonly flushFrequency: number;
  /** Writes info to standard output, and only errors to standard error. */
  readonly splitStream: boolean;
}

/** The options of the program. Durations in milliseconds. */
export interface Options {
  readonly mode: (typeof MODES)[number];
  readonly hostnameOverride: string;
  readonly bindAddress: string;
  /** As configured, with blanks trimmed. */
  readonly clusterCIDRs: readonly string[];
  readonly detectLocalMode: DetectLocalMode;
  readonly bridgeInterface: string;
  readonly interfaceNamePrefix: string;
  /** CIDRs, or the single entry `primary`. */
  readonly nodePortAddresses: readonly string[];
  readonly masqueradeAll: boolean;
  readonly masqueradeBit: number;
  readonly localhostNodePorts: boolean;
  readonly syncPeriod: number;
  readonly minSyncPeriod: number;
  /** Feature gate AllowServiceExternalIPs. */
  readonly allowServiceExternalIPs: boolean;
  readonly iptablesLayout: (typeof LAYOUTS)[number];
  readonly ipvs: IPVSOptions;
  readonly conntrack: ConntrackOptions;
  readonly client: ClientOptions;
  readonly logging: LoggingOptions;
  readonly configSyncPeriod: number;
  readonly oomScoreAdj: number;
  /** Empty: no health check server. */
  readonly healthzBindAddress: string;
  readonly metricsBindAddress: string;
  readonly bindAddressHardFail: boolean;
  readonly enableProfiling: boolean;
  readonly showHiddenMetricsForVersion: string;
  /** Feature gates of HTTP endpoints. */
  readonly served: { readonly flagz: boolean; readonly statusz: boolean; readonly nativeHistograms: boolean };
  /** All feature gates that affect the node proxy. */
  readonly gates: readonly GateState[];
}

/** Converts a complete, valid configuration. Throws InputError for an unsupported value of an enumeration. */
export function optionsOf(config: Config): Options {
  const { syncPeriod, minSyncPeriod, masqueradeAll } = modeSettingsOf(config);
  const mode = oneOf(MODES, config.mode, "mode");
  return {
    mode,
    hostnameOverride: config.hostnameOverride,
    bindAddress: config.bindAddress,
    clusterCIDRs: config.clusterCIDR === "" ? [] : config.clusterCIDR.split(",").map((cidr) => cidr.trim()),
    detectLocalMode: oneOf(LOCAL_MODES, config.detectLocalMode, "detectLocalMode"),
    bridgeInterface: config["detectLocal.bridgeInterface"],
    interfaceNamePrefix: config["detectLocal.interfaceNamePrefix"],
    nodePortAddresses: config.nodePortAddresses ?? [],
    masqueradeAll,
    masqueradeBit: config[mode === "nftables" ? "nftables.masqueradeBit" : "iptables.masqueradeBit"],
    localhostNodePorts: config["iptables.localhostNodePorts"],
    syncPeriod: millisecondsOf(syncPeriod),
    minSyncPeriod: millisecondsOf(minSyncPeriod),
    allowServiceExternalIPs: gateEnabled(config.featureGates, "AllowServiceExternalIPs"),
    iptablesLayout: oneOf(LAYOUTS, config["iptables.layout"], "iptables.layout"),
    ipvs: ipvsOf(config),
    conntrack: conntrackOf(config),
    client: clientOf(config),
    logging: loggingOf(config),
    configSyncPeriod: millisecondsOf(config.configSyncPeriod),
    oomScoreAdj: config.oomScoreAdj,
    ...serversOf(config),
  };
}

/**
 * Returns the options after ipvs mode fell back to iptables mode. The default minSyncPeriod of a file's ipvs section is
 * zero, that of iptables mode is one second.
 */
export function fallBackToIPTables(options: Options): Options {
  return { ...options, mode: "iptables", minSyncPeriod: options.minSyncPeriod || 1000 };
}

/** Returns the options for a node whose kernel lacks ipset. */
export function fallBackToCompat(options: Options): Options {
  return { ...options, iptablesLayout: "Compat" };
}

function ipvsOf(config: Config): IPVSOptions {
  return {
    scheduler: config["ipvs.scheduler"] || "rr",
    excludeCIDRs: config["ipvs.excludeCIDRs"] ?? [],
    strictARP: config["ipvs.strictARP"],
    tcpTimeout: millisecondsOf(config["ipvs.tcpTimeout"]),
    tcpFinTimeout: millisecondsOf(config["ipvs.tcpFinTimeout"]),
    udpTimeout: millisecondsOf(config["ipvs.udpTimeout"]),
    fallback: oneOf(FALLBACKS, config["ipvs.fallback"], "ipvs.fallback"),
  };
}

function conntrackOf(config: Config): ConntrackOptions {
  return {
    maxPerCore: config["conntrack.maxPerCore"],
    min: config["conntrack.min"],
    tcpEstablishedTimeout: millisecondsOf(config["conntrack.tcpEstablishedTimeout"]),
    tcpCloseWaitTimeout: millisecondsOf(config["conntrack.tcpCloseWaitTimeout"]),
    tcpBeLiberal: config["conntrack.tcpBeLiberal"],
    udpTimeout: millisecondsOf(config["conntrack.udpTimeout"]),
    udpStreamTimeout: millisecondsOf(config["conntrack.udpStreamTimeout"]),
  };
}

function clientOf(config: Config): ClientOptions {
  return {
    kubeconfig: config["clientConnection.kubeconfig"],
    acceptContentTypes: config["clientConnection.acceptContentTypes"],
    contentType: config["clientConnection.contentType"],
    qps: config["clientConnection.qps"],
    burst: config["clientConnection.burst"],
  };
}

/** Returns the logging options, which apply before the rest is validated. Throws InputError as `optionsOf` does. */
export function loggingOf(config: Config): LoggingOptions {
  const format = oneOf(LOG_FORMATS, config["logging.format"], "logging.format");
  return {
    format,
    verbosity: config["logging.verbosity"],
    vmodule: config["logging.vmodule"],
    flushFrequency: millisecondsOf(config["logging.flushFrequency"]),
    splitStream: config[format === "text" ? "logging.options.text.splitStream" : "logging.options.json.splitStream"],
  };
}

function serversOf(config: Config) {
  const { healthzBindAddress, metricsBindAddress, bindAddressHardFail } = config;
  const { enableProfiling, showHiddenMetricsForVersion, featureGates } = config;
  return {
    healthzBindAddress,
    metricsBindAddress,
    bindAddressHardFail,
    enableProfiling,
    showHiddenMetricsForVersion,
    served: {
      flagz: gateEnabled(featureGates, "ComponentFlagz"),
      statusz: gateEnabled(featureGates, "ComponentStatusz"),
      nativeHistograms: gateEnabled(featureGates, "NativeHistograms"),
    },
    gates: gateStates(featureGates),
  };
}

function oneOf<T extends string>(supported: readonly T[], value: string, field: string): T {
  const found = supported.find((each) => each === value);
  if (found !== undefined) return found;
  throw new InputError(
    { field },
    `unsupported value ${JSON.stringify(value)}; supported values: ${supported.join(", ")}`,
  );
}
