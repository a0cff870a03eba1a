// What is a ServicePort called?
import type { Protocol } from "../net/protocol.ts";

/** Identity of a Service, and of its EndpointSlices. */
export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/** Identity of one port of a Service. `port` is the port's name, empty where it has none. */
export interface ServicePortName extends ServiceName {
  readonly port: string;
  readonly protocol: Protocol;
}

/** `namespace/name:port`, or `namespace/name` for a port without a name: in comments, hashes and logs. */
export function printName(name: ServicePortName): string {
  const service = `${name.namespace}/${name.name}`;
  return name.port === "" ? service : `${service}:${name.port}`;
}

/** The order of Services, and of the ports of one, wherever kube-proxy's own order is accidental. */
export function compareNames(a: ServicePortName, b: ServicePortName): number {
  return (
    compare(a.namespace, b.namespace) ||
    compare(a.name, b.name) ||
    compare(a.port, b.port) ||
    compare(a.protocol, b.protocol)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
