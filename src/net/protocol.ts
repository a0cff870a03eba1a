// Defines the transport protocols of Service ports.

/** As spelled in Kubernetes objects. */
export type Protocol = "TCP" | "UDP" | "SCTP";

export const PROTOCOLS: readonly Protocol[] = ["TCP", "UDP", "SCTP"];

/** Protocol numbers of the IP header (IANA). */
export const PROTOCOL_NUMBERS: Readonly<Record<Protocol, number>> = { TCP: 6, UDP: 17, SCTP: 132 };

/** As spelled by iptables, ipset and in the hashes of chain names. */
export type LowerProtocol = "tcp" | "udp" | "sctp";

/** Converts a protocol to the spelling of the kernel's tools. */
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
