// Which sets does this layout keep, and what does a ServicePort put into them?
import type { Settings } from "../../model/settings.ts";
import type { ServiceTraffic } from "../../model/traffic.ts";
import type { Family } from "../../net/family.ts";
import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import type { SetEntry, SetHeader } from "../../state/ip-set.ts";
import { printEntry } from "../../state/set-entry.ts";
import { clusterIPMasquerade } from "../iptables/cluster-ip-masquerade.ts";

/** Cluster IPs that are served, and endpoints that may call themselves. */
export type SetRole = "CLUSTER-IP" | "LOOP-BACK";

/** Entries of one set: all endpoints of a large cluster, of which each takes some 50 bytes once it is there. */
const MOST = 2 ** 20;

const TYPES = { "CLUSTER-IP": "hash:ip,port", "LOOP-BACK": "hash:ip,port,ip" } as const;

/** Other names than in IPVS mode, for they hold others. */
export function setName(role: SetRole, family: Family): string {
  return `KUBE-${family === "IPv4" ? "" : "6-"}IX-${role}`;
}

export function setsOf(family: Family): readonly SetHeader[] {
  return (["CLUSTER-IP", "LOOP-BACK"] as const).map((role) => ({
    name: setName(role, family),
    type: TYPES[role],
    family: family === "IPv4" ? "inet" : "inet6",
    maxEntries: MOST,
  }));
}

export function entriesOf(
  settings: Settings,
  { servicePort, reachable, internal }: ServiceTraffic,
): readonly SetEntry[] {
  const { clusterIP, port, protocol: name } = servicePort;
  const protocol = PROTOCOL_NUMBERS[name];
  const loop = setName("LOOP-BACK", settings.family);
  const entries: SetEntry[] = reachable.map(({ ip, port }) => {
    return { set: loop, entry: printEntry("hash:ip,port,ip", { address: ip, protocol, port, second: ip }) };
  });
  if (internal.verdict !== "forward" || !clusterIPMasquerade(settings)) return entries;
  const entry = printEntry("hash:ip,port", { address: clusterIP, protocol, port });
  return [{ set: setName("CLUSTER-IP", settings.family), entry }, ...entries];
}
