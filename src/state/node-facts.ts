// Facts of the host that rules depend on and Kubernetes objects do not tell.
import type { Family } from "../net/family.ts";

/** Where IPVS mode keeps the addresses of Services, as kube-proxy does. Never set up: an address counts all the same. */
export const IPVS_DEVICE = "kube-ipvs0";

/** One address of one of the node's interfaces. */
export interface InterfaceAddress {
  readonly interface: string;
  /** Canonical text, without prefix length. */
  readonly address: string;
}

/** nfacct counters that exist (or could be made) in the kernel; kube-proxy decides on each one alone. */
export interface Counters {
  readonly invalidDropped: boolean;
  readonly localhostNodePorts: boolean;
}

/**
 * Facts of the machine that change rules. Observed by `kernel/node-facts.ts`, given by flags to the commands that read
 * no machine, so that the same input gives the same output everywhere.
 */
export interface NodeFacts {
  /** Every address of every interface, both families. */
  readonly addresses: readonly InterfaceAddress[];
  /** Version of the `iptables` command, such as `1.8.9`; absent when it could not be had. */
  readonly iptablesVersion?: string;
  /** Which kernel interface the `iptables` command speaks to. */
  readonly iptablesVariant: "nft" | "legacy";
  /** The same for `ip6tables`, where it differs. */
  readonly ip6tablesVariant?: "nft" | "legacy";
  /** Kernel release, such as `6.1`. */
  readonly kernelVersion: string;
  /** Logical processors. */
  readonly cpus: number;
  readonly counters: Counters;
  /** `nf_conntrack_tcp_be_liberal`, as it was when the node proxy started. */
  readonly tcpBeLiberal: boolean;
  /** Families whose nat table works on this machine. */
  readonly families: readonly Family[];
}

/** Which kernel interface the tools of a family speak to. */
export function variantOf(
  { iptablesVariant = "nft", ip6tablesVariant = iptablesVariant }: Partial<NodeFacts>,
  family: Family,
): NodeFacts["iptablesVariant"] {
  return family === "IPv6" ? ip6tablesVariant : iptablesVariant;
}
