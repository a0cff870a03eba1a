// What did the configuration decide? The internal form, the same from flags and from a file.

export type DetectLocalMode = "ClusterCIDR" | "NodeCIDR" | "BridgeInterface" | "InterfaceNamePrefix";

/** Durations are milliseconds. */
export interface Options {
  readonly mode: "iptables" | "ipvs" | "nftables";
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
  readonly iptablesLayout: "Compat" | "Indexed";
}
