// Provides default values, and the settings that kube-proxy stores in the section of the proxy mode.
import { parseAddress } from "../net/address.ts";
import { withPort } from "./host-port.ts";
import { type Config, FIELD_NAMES, ROWS } from "./table.ts";

const HEALTH_PORT = 10256;
const METRICS_PORT = 10249;

const entries: readonly (readonly unknown[])[] = FIELD_NAMES.map((name) => [name, ROWS[name].default]);

/** The default of every field, in the sections of all modes. */
export const DEFAULTS: Config = Object.fromEntries(entries);

/**
 * Completes the server addresses of a configuration file: an empty one follows the family of `bindAddress` (IPv6 if that
 * is not an IP address, as in kube-proxy), and an IP address without port gets the default port.
 */
export function withServerAddresses(config: Config): Config {
  const plain = parseAddress(config.bindAddress)?.family === "IPv4";
  const health = config.healthzBindAddress || (plain ? "0.0.0.0" : "::");
  const metrics = config.metricsBindAddress || (plain ? "127.0.0.1" : "::1");
  return {
    ...config,
    healthzBindAddress: withPort(health, HEALTH_PORT),
    metricsBindAddress: withPort(metrics, METRICS_PORT),
  };
}

/** Sets the defaults of kube-proxy on Linux (`platformApplyDefaults`), for a file and for flags alike. */
export function withPlatformDefaults(config: Config): Config {
  const everywhere = (config.nodePortAddresses ?? []).length === 0;
  return {
    ...config,
    mode: config.mode || "iptables",
    detectLocalMode: config.detectLocalMode || "ClusterCIDR",
    nodePortAddresses: config.mode === "nftables" && everywhere ? ["primary"] : config.nodePortAddresses,
  };
}

/** Settings that each proxy mode has in its own section of the configuration. Periods in nanoseconds. */
export interface ModeSettings {
  readonly syncPeriod: bigint;
  readonly minSyncPeriod: bigint;
  readonly masqueradeAll: boolean;
}

const ZERO_SETTINGS = {
  "iptables.syncPeriod": 0n,
  "iptables.minSyncPeriod": 0n,
  "iptables.masqueradeAll": false,
  "ipvs.syncPeriod": 0n,
  "ipvs.minSyncPeriod": 0n,
  "nftables.syncPeriod": 0n,
  "nftables.minSyncPeriod": 0n,
  "nftables.masqueradeAll": false,
} as const satisfies Partial<Config>;

/** Reads the settings from the section of the proxy mode. An empty or unknown mode uses the iptables section, as in kube-proxy. */
export function modeSettingsOf(config: Config): ModeSettings {
  switch (config.mode) {
    case "ipvs":
      return {
        syncPeriod: config["ipvs.syncPeriod"],
        minSyncPeriod: config["ipvs.minSyncPeriod"],
        masqueradeAll: config["iptables.masqueradeAll"],
      };
    case "nftables":
      return {
        syncPeriod: config["nftables.syncPeriod"],
        minSyncPeriod: config["nftables.minSyncPeriod"],
        masqueradeAll: config["nftables.masqueradeAll"],
      };
    default:
      return {
        syncPeriod: config["iptables.syncPeriod"],
        minSyncPeriod: config["iptables.minSyncPeriod"],
        masqueradeAll: config["iptables.masqueradeAll"],
      };
  }
}

/** Writes the settings to the section of the proxy mode, and zero to the other sections. */
export function withModeSettings(config: Config, { syncPeriod, minSyncPeriod, masqueradeAll }: ModeSettings): Config {
  switch (config.mode) {
    case "ipvs":
      return {
        ...config,
        ...ZERO_SETTINGS,
        "ipvs.syncPeriod": syncPeriod,
        "ipvs.minSyncPeriod": minSyncPeriod,
        "iptables.masqueradeAll": masqueradeAll,
      };
    case "nftables":
      return {
        ...config,
        ...ZERO_SETTINGS,
        "nftables.syncPeriod": syncPeriod,
        "nftables.minSyncPeriod": minSyncPeriod,
        "nftables.masqueradeAll": masqueradeAll,
      };
    default:
      return {
        ...config,
        ...ZERO_SETTINGS,
        "iptables.syncPeriod": syncPeriod,
        "iptables.minSyncPeriod": minSyncPeriod,
        "iptables.masqueradeAll": masqueradeAll,
      };
  }
}
