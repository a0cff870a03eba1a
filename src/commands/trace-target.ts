// Which address and port is meant by what `--to` names?
import type { Service } from "../api/objects.ts";
import { InputError, type Place } from "../errors.ts";
import { isLoopback } from "../model/node-ips.ts";
import { type ServicePort, servicePortsOf } from "../model/service-port.ts";
import { familyOf } from "../net/address.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import type { Protocol } from "../net/protocol.ts";
import type { TraceCluster } from "./trace-cluster.ts";
import type { Target } from "./trace-places.ts";

export interface Destination {
  /** For each family in which there is one; the first is the Service's own first choice. Canonical. */
  readonly addresses: ReadonlyMap<Family, string>;
  readonly port: number;
  readonly protocol: Protocol;
}

/** Throws InputError where there is no such thing. */
export function findDestination(target: Target, cluster: TraceCluster, place: Place): Destination {
  switch (target.kind) {
    case "address":
      return { ...target, addresses: new Map([[familyOf(target.address), target.address]]) };
    case "node":
      return { ...target, addresses: nodeAddresses(cluster, place) };
    case "service":
      return serviceDestination(target, cluster, place);
  }
}

/** The node's IPs, or else what is known of its interfaces. */
function nodeAddresses({ nodeIPs, addresses }: TraceCluster, place: Place): ReadonlyMap<Family, string> {
  const { primary, ips } = nodeIPs;
  const families = FAMILIES.toSorted((one, other) => Number(other === primary) - Number(one === primary));
  const found = families.flatMap((family) => {
    const known = addresses.find(({ address }) => familyOf(address) === family)?.address;
    const address = isLoopback(ips[family]) ? known : ips[family];
    return address === undefined ? [] : [[family, address] as const];
  });
  if (found.length === 0) throw new InputError(place, "the node has no address that is known: say --node-ip");
  return new Map(found);
}

type ServiceTarget = Extract<Target, { kind: "service" }>;

function serviceDestination(target: ServiceTarget, cluster: TraceCluster, place: Place): Destination {
  const service = findService(target, cluster, place);
  const { allowServiceExternalIPs } = cluster.options;
  const ports = FAMILIES.flatMap((family) => {
    const own = servicePortsOf(service, family, { allowServiceExternalIPs });
    return own.filter((port) => isAsked(port, target)).map((port) => ({ family, port }));
  });
  const [first] = ports;
  if (first === undefined) throw new InputError(place, whyNone(service, target));
  const keys = new Set(ports.map(({ port }) => `${port.port} ${port.protocol}`));
  if (keys.size > 1) throw new InputError(place, `${nameOf(service)} has more ports: say ${portsOf(service)}`);
  const addresses = ports.map(({ family, port }) => [family, port.clusterIP] as const);
  const [primary = first.family] = service.ipFamilies;
  addresses.sort(([one], [other]) => Number(other === primary) - Number(one === primary));
  return { addresses: new Map(addresses), port: first.port.port, protocol: first.port.protocol };
}

function findService({ namespace, name }: ServiceTarget, { objects }: TraceCluster, place: Place): Service {
  for (const object of objects) {
    if (object.kind === "Service" && object.namespace === namespace && object.name === name) return object;
  }
  throw new InputError(place, `there is no Service ${namespace}/${name} among the inputs`);
}

/** By its name, or else by its number. */
function isAsked({ name, port, protocol }: ServicePort, target: ServiceTarget): boolean {
  if (target.protocol !== undefined && target.protocol !== protocol) return false;
  return target.port === undefined || target.port === name.port || target.port === String(port);
}

function whyNone(service: Service, { port, protocol }: ServiceTarget): string {
  if (service.type === "ExternalName") return `${nameOf(service)} is an external name: it has no cluster IP`;
  if (service.clusterIP === "None") return `${nameOf(service)} is headless: it has no cluster IP`;
  if (service.foreignProxy) return `${nameOf(service)} is another proxy's (service.kubernetes.io/service-proxy-name)`;
  if (service.clusterIP === "") return `${nameOf(service)} has no cluster IP yet`;
  if (service.ports.length === 0) return `${nameOf(service)} has no port at all`;
  const asked = [port ?? "", protocol ?? ""].filter((part) => part !== "").join("/");
  return `${nameOf(service)} has no port ${asked}, but ${portsOf(service)}`;
}

function portsOf({ ports }: Service): string {
  return ports.map(({ name, port, protocol }) => `${name === "" ? port : name}/${protocol.toLowerCase()}`).join(", ");
}

function nameOf({ namespace, name }: Service): string {
  return `Service ${namespace}/${name}`;
}
