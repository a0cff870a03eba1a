// What did the configuration decide? The internal form, the same from flags and from a file.
import { InputError } from "../errors.ts";
import type { Config } from "./config.ts";
import { millisecondsOf } from "./duration.ts";
import { type GateState, gateEnabled, gateStates } from "./feature-gates.ts";
import type { ModuleLevel } from "./list-types.ts";
import { runningOf } from "./running.ts";

const MODES = ["iptables", "ipvs", "nftables"] as const;
const LOCAL_MODES = ["ClusterCIDR", "NodeCIDR", "BridgeInterface", "InterfaceNamePrefix"] as const;
const LAYOUTS = ["Compat", "Indexed"] as const;
const FALLBACKS = ["IPTables", "None"] as const;
const LOG_FORMATS = ["text", "json"] as const;

export type DetectLocalMode = (typeof LOCAL_MODES)[number];

/** Durations are milliseconds; 0 leaves the kernel's value alone. */
export interface ConntrackOptions {
  /** 0: leave the limit, and `min` with it. */
  readonly maxPerCore: number;
  readonly min: number;
  readonly tcpEstablishedTimeout: number;
  readonly tcpCloseWaitTimeout: number;
  readonly tcpBeLiberal: boolean;
  readonly udpTimeout: number;
  readonly udpStreamTimeout: number;
}

/** Durations are milliseconds; 0 leaves the kernel's value alone. */
export interface IPVSOptions {
  /** Never empty. */
  readonly scheduler: string;
  readonly excludeCIDRs: readonly string[];
  readonly strictARP: boolean;
  readonly tcpTimeout: number;
  readonly tcpFinTimeout: number;
  readonly udpTimeout: number;
  /** What happens where IPVS is missing: iptables mode, or an exit. */
  readonly fallback: (typeof FALLBACKS)[number];
}

/** How to speak to the API server. */
export interface ClientOptions {
  /** Empty: the Pod's service account. */
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
  /** Information goes to standard output, only errors to standard error. */
  readonly splitStream: boolean;
}

/** Durations are milliseconds. */
export interface Options {
  readonly mode: (typeof MODES)[number];
  readonly hostnameOverride: string;
  readonly bindAddress: string;
  /** As given, blanks trimmed. */
  readonly clusterCIDRs: readonly string[];
  readonly detectLocalMode: DetectLocalMode;
  readonly bridgeInterface: string;
  readonly interfaceNamePrefix: string;
  /** CIDRs, or the single word `primary`. */
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
  /** Empty: no health server. */
  readonly healthzBindAddress: string;
  readonly metricsBindAddress: string;
  readonly bindAddressHardFail: boolean;
  readonly enableProfiling: boolean;
  readonly showHiddenMetricsForVersion: string;
  /** Feature gates of what is served over HTTP. */
  readonly served: { readonly flagz: boolean; readonly statusz: boolean; readonly nativeHistograms: boolean };
  /** All feature gates that mean something here. */
  readonly gates: readonly GateState[];
}

/** The internal form of a configuration that is valid and complete. Throws InputError for a word that is neither. */
export function optionsOf(config: Config): Options {
  const { syncPeriod, minSyncPeriod, masqueradeAll } = runningOf(config);
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
 * What holds when ipvs mode falls back to iptables mode: the same, but without the least gap of a file's ipvs section,
 * which is zero where nobody set one, iptables mode keeps its own of one second.
 */
export function fallBackToIPTables(options: Options): Options {
  return { ...options, mode: "iptables", minSyncPeriod: options.minSyncPeriod || 1000 };
}

/** The options of a node whose kernel has no sets. */
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

/** The logging section alone, which holds before the rest is checked. Throws InputError as `optionsOf` does. */
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

function oneOf<T extends string>(words: readonly T[], given: string, field: string): T {
  const word = words.find((each) => each === given);
  if (word === undefined) throw new InputError({ field }, `${JSON.stringify(given)} is none of ${words.join(", ")}`);
  return word;
}
