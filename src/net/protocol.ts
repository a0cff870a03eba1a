// Which transport protocols can a Service port have?

/** As Kubernetes spells them. */
export type Protocol = "TCP" | "UDP" | "SCTP";

export const PROTOCOLS: readonly Protocol[] = ["TCP", "UDP", "SCTP"];

/** As iptables, ipset and chain-name hashes spell them. */
export type LowerProtocol = "tcp" | "udp" | "sctp";

/** The kernel tools' spelling of a protocol. */
export function lower(protocol: Protocol): LowerProtocol {
  switch (protocol) {
    case "TCP":
      return "tcp";
    case "UDP":
      return "udp";
    case "SCTP":
      return "sctp";
  }
}
