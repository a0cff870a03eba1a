// Which transport protocols can a Service port have?

/** As Kubernetes spells them. */
export type Protocol = "TCP" | "UDP" | "SCTP";

export const PROTOCOLS: readonly Protocol[] = ["TCP", "UDP", "SCTP"];

/** As the header of an IP packet has them. */
export const PROTOCOL_NUMBERS: Readonly<Record<Protocol, number>> = { TCP: 6, UDP: 17, SCTP: 132 };

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
