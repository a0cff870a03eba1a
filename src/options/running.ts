// Which settings belong to the running mode, though each mode has its own section for them?
import type { Config } from "./config.ts";

/** One value of each for the running mode. Periods in nanoseconds. */
export interface Running {
  readonly syncPeriod: bigint;
  readonly minSyncPeriod: bigint;
  readonly masqueradeAll: boolean;
}

const NOWHERE = {
  "iptables.syncPeriod": 0n,
  "iptables.minSyncPeriod": 0n,
  "iptables.masqueradeAll": false,
  "ipvs.syncPeriod": 0n,
  "ipvs.minSyncPeriod": 0n,
  "nftables.syncPeriod": 0n,
  "nftables.minSyncPeriod": 0n,
  "nftables.masqueradeAll": false,
} as const satisfies Partial<Config>;

/** Reads them from the section of the mode. An empty or unknown mode has the iptables section, as in kube-proxy. */
export function runningOf(config: Config): Running {
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

/** Writes them into the section of the mode, and zero into those of the others. */
export function placeRunning(config: Config, { syncPeriod, minSyncPeriod, masqueradeAll }: Running): Config {
  switch (config.mode) {
    case "ipvs":
      return {
        ...config,
        ...NOWHERE,
        "ipvs.syncPeriod": syncPeriod,
        "ipvs.minSyncPeriod": minSyncPeriod,
        "iptables.masqueradeAll": masqueradeAll,
      };
    case "nftables":
      return {
        ...config,
        ...NOWHERE,
        "nftables.syncPeriod": syncPeriod,
        "nftables.minSyncPeriod": minSyncPeriod,
        "nftables.masqueradeAll": masqueradeAll,
      };
    default:
      return {
        ...config,
        ...NOWHERE,
        "iptables.syncPeriod": syncPeriod,
        "iptables.minSyncPeriod": minSyncPeriod,
        "iptables.masqueradeAll": masqueradeAll,
      };
  }
}
