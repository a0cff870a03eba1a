// Which kernel settings does IPVS mode need?
import type { IpvsSettings } from "../../model/ipvs-settings.ts";
import type { Sysctl } from "../../state/kernel-state.ts";

/**
 * In the order in which kube-proxy writes them, the same for both families. Turning `strictARP` off takes nothing back,
 * and forwarding of IPv6 is nobody's business here.
 */
export function ipvsSysctls({ strictARP, keepReusedPorts }: IpvsSettings): readonly Sysctl[] {
  return [
    { path: "net/ipv4/vs/conntrack", value: "1" },
    ...(keepReusedPorts ? [{ path: "net/ipv4/vs/conn_reuse_mode", value: "0" }] : []),
    { path: "net/ipv4/vs/expire_nodest_conn", value: "1" },
    { path: "net/ipv4/vs/expire_quiescent_template", value: "1" },
    { path: "net/ipv4/ip_forward", value: "1" },
    ...(strictARP ? STRICT_ARP : []),
  ];
}

const STRICT_ARP: readonly Sysctl[] = [
  { path: "net/ipv4/conf/all/arp_ignore", value: "1" },
  { path: "net/ipv4/conf/all/arp_announce", value: "2" },
];
