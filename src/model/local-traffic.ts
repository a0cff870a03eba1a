// Defines how traffic from local pods is detected (--detect-local-mode).
import { parseCidr } from "../net/cidr.ts";
import type { Family } from "../net/family.ts";
import type { Options } from "../options/options.ts";

/** The mark of traffic from this cluster's pods: where it comes from, or by which interface. */
export type LocalTraffic =
  | { readonly kind: "cidr"; readonly cidr: string }
  /** `interface` is an iptables interface match: a name, or a prefix and `+`. */
  | { readonly kind: "interface"; readonly interface: string };

/** The options that decide it. */
export type LocalTrafficOptions = Pick<
  Options,
  "detectLocalMode" | "clusterCIDRs" | "bridgeInterface" | "interfaceNamePrefix"
>;

/**
 * Follows `detectLocalMode`. Undefined where the mode goes by CIDR and there is none of this family: then nothing is
 * masqueraded for coming from outside, and pods have no short cut.
 */
export function localTrafficOf(
  options: LocalTrafficOptions,
  podCIDRs: readonly string[],
  family: Family,
): LocalTraffic | undefined {
  switch (options.detectLocalMode) {
    case "ClusterCIDR":
      return firstOf(options.clusterCIDRs, family);
    case "NodeCIDR":
      return firstOf(podCIDRs, family);
    case "BridgeInterface":
      return { kind: "interface", interface: options.bridgeInterface };
    case "InterfaceNamePrefix":
      return { kind: "interface", interface: `${options.interfaceNamePrefix}+` };
  }
}

export function sameLocalTraffic(a: LocalTraffic | undefined, b: LocalTraffic | undefined): boolean {
  return localTrafficText(a) === localTrafficText(b);
}

function firstOf(cidrs: readonly string[], family: Family): LocalTraffic | undefined {
  const cidr = cidrs.map(parseCidr).find((read) => read?.family === family);
  return cidr && { kind: "cidr", cidr: cidr.text };
}

function localTrafficText(local: LocalTraffic | undefined): string {
  if (local === undefined) return "";
  return local.kind === "cidr" ? `-s ${local.cidr}` : `-i ${local.interface}`;
}
