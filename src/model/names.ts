// Prints the name of a ServicePort, such as `shop/cart:http`.
import { compareServices, compareTexts, type ServiceName } from "../api/service-name.ts";
import type { Protocol } from "../net/protocol.ts";

/** Identity of one port of a Service. `port` is the port's name, empty where it has none. */
export interface ServicePortName extends ServiceName {
  readonly port: string;
  readonly protocol: Protocol;
}

/** `namespace/name:port`, or `namespace/name` for a port without a name: in comments, hashes and logs. */
export function printName(name: ServicePortName): string {
  const { namespace, name: service, port } = name;
  // Joined, for a text made piece by piece is kept in its pieces, which take twice the room.
  return (port === "" ? [namespace, "/", service] : [namespace, "/", service, ":", port]).join("");
}

/** What ties a slice's port to a port of the Service: its name and its protocol, never its number. */
export function portKey(name: string, protocol: Protocol): string {
  return `${name}/${protocol}`;
}

/** The order of Services, and of the ports of one. */
export function compareNames(a: ServicePortName, b: ServicePortName): number {
  return compareServices(a, b) || compareTexts(a.port, b.port) || compareTexts(a.protocol, b.protocol);
}
