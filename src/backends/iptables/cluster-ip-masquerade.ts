// Which traffic to cluster IPs must be answered through this node?
import type { Settings } from "../../model/settings.ts";
import type { Words } from "../words.ts";

/** The rule for it: a heading that both layouts have, and the words of its match. */
export interface ClusterIPMasquerade {
  readonly heading: string;
  readonly words: Words;
}

/** All of it, or what does not come from pods; undefined where none is. */
export function clusterIPMasquerade({ masqueradeAll, localTraffic }: Settings): ClusterIPMasquerade | undefined {
  if (masqueradeAll) return { heading: "masquerade-all", words: {} };
  if (!localTraffic) return undefined;
  if (localTraffic.kind === "interface") {
    return { heading: "masquerade-not-from-interface", words: { interface: localTraffic.interface } };
  }
  // No packet is outside of a range that holds every address, and iptables-nft refuses a rule that asks for one.
  if (localTraffic.cidr.endsWith("/0")) return undefined;
  return { heading: "masquerade-not-from-pods", words: { pods: localTraffic.cidr } };
}
