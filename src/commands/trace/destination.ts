// Resolves --to to addresses and a port.

import type { Service } from "../../api/objects.ts";
import { InputError, type Place } from "../../errors.ts";
import { isLoopback } from "../../model/node-ips.ts";
import { nodePortAddressesOf, nodePortRangesOf, servesLocalhost } from "../../model/node-port-addresses.ts";
import { type ServicePort, servicePortsOf } from "../../model/service-port.ts";
import { didYouMean } from "../../nearest.ts";
import { familyOf } from "../../net/address.ts";
import { FAMILIES, type Family } from "../../net/family.ts";
import type { Protocol } from "../../net/protocol.ts";
import type { TraceCluster } from "./cluster.ts";
import type { Target } from "./from-to.ts";

/** The kinds of address by which a Service is reached. */
export const VIAS = ["clusterIP", "loadBalancerIP", "externalIP", "nodePort"] as const;

export type Via = (typeof VIAS)[number];

/** What is asked for. */
interface TargetRequest {
  readonly to: Target;
  /** Of a Service; undefined: its cluster IP, or from outside the way that clients outside take. */
  readonly via?: Via | undefined;
  readonly isFromOutside: boolean;
}

export interface Destination {
  readonly kind: "destination";
  /** For each family in which there is one; the first is the Service's own first choice. Canonical, none is empty. */
  readonly addresses: ReadonlyMap<Family, readonly string[]>;
  readonly port: number;
  readonly protocol: Protocol;
  /** Clients outside may use any of the addresses, of any family. */
  readonly isExternalPath: boolean;
}

/** Clients outside have no way to the Service. */
export interface Unreachable {
  readonly kind: "unreachable";
  /** For example `Service shop/web has no load-balancer IP, external IP or node port`. */
  readonly reason: string;
}

/** Throws InputError where there is no such thing. */
export function findDestination(
  { to, via, isFromOutside }: TargetRequest,
  cluster: TraceCluster,
  place: Place,
): Destination | Unreachable {
  if (to.kind === "service") return serviceDestination(to, { cluster, place, via, isFromOutside });
  if (via !== undefined) throw new InputError(place, `--via ${via} needs a Service: service/NAMESPACE/NAME[:PORT]`);
  const addresses =
    to.kind === "node" ? nodeAddresses(cluster, place) : new Map([[familyOf(to.address), [to.address]]]);
  return { kind: "destination", addresses, port: to.port, protocol: to.protocol, isExternalPath: false };
}

/** The node's IPs, or else what is known of its interfaces. */
function nodeAddresses({ nodeIPs, addresses }: TraceCluster, place: Place): ReadonlyMap<Family, readonly string[]> {
  const { primary, ips } = nodeIPs;
  const families = FAMILIES.toSorted((one, other) => Number(other === primary) - Number(one === primary));
  const found = families.flatMap((family) => {
    const known = addresses.find(({ address }) => familyOf(address) === family)?.address;
    const address = isLoopback(ips[family]) ? known : ips[family];
    return address === undefined ? [] : [[family, [address]] as const];
  });
  if (found.length === 0) throw new InputError(place, "no address of the node is known; pass --node-ip");
  return new Map(found);
}

type ServiceTarget = Extract<Target, { kind: "service" }>;

interface ServiceLookup {
  readonly cluster: TraceCluster;
  readonly place: Place;
  readonly via: Via | undefined;
  readonly isFromOutside: boolean;
}

/** One ServicePort in one family. */
interface FamilyPort {
  readonly family: Family;
  readonly port: ServicePort;
}

function serviceDestination(target: ServiceTarget, question: ServiceLookup): Destination | Unreachable {
  const { cluster, place, via, isFromOutside } = question;
  const service = findService(target, cluster, place);
  const ports = requestedPorts(service, target, cluster);
  const [first] = ports;
  const isExternalPath = via === undefined && isFromOutside;
  if (first === undefined) {
    const reason = whyNone(service, target);
    if (isExternalPath && hasNoProxy(service)) return { kind: "unreachable", reason };
    throw new InputError(place, reason);
  }
  const keys = new Set(ports.map(({ port }) => `${port.port} ${port.protocol}`));
  if (keys.size > 1) throw new InputError(place, `${nameOf(service)} has more ports: say ${portsOf(service)}`);
  const { protocol } = first.port;
  const way = isExternalPath ? externalPath(ports, question) : pathVia(ports, via ?? "clusterIP", question);
  if (way !== undefined) return { kind: "destination", ...way, protocol, isExternalPath };
  if (isExternalPath) {
    return { kind: "unreachable", reason: `${nameOf(service)} has no load-balancer IP, external IP or node port` };
  }
  const others = VIAS.filter((each) => pathVia(ports, each, question) !== undefined);
  throw new InputError(place, `${nameOf(service)} has no ${via}; it has ${others.join(", ")}`);
}

function requestedPorts(service: Service, target: ServiceTarget, { options }: TraceCluster): readonly FamilyPort[] {
  const { allowServiceExternalIPs } = options;
  const [primary] = service.ipFamilies;
  const families = FAMILIES.toSorted((one, other) => Number(other === primary) - Number(one === primary));
  return families.flatMap((family) => {
    const own = servicePortsOf(service, family, { allowServiceExternalIPs });
    return own.filter((port) => isAsked(port, target)).map((port) => ({ family, port }));
  });
}

type ServicePath = Pick<Destination, "addresses" | "port">;

/** Undefined where the Service has no such address. */
function pathVia(ports: readonly FamilyPort[], via: Via, { cluster, place }: ServiceLookup): ServicePath | undefined {
  const [{ port: first } = { port: undefined }] = ports;
  if (via !== "nodePort") {
    const addresses = ports.map(({ family, port }) => [family, addressesVia(port, via)] as const);
    return pathTo(addresses, first?.port);
  }
  if (first === undefined || first.nodePort === 0) return undefined;
  const families = ports.map(({ family }) => family);
  return pathTo(nodePortAddresses(families, cluster, place), first.nodePort);
}

function externalPath(ports: readonly FamilyPort[], question: ServiceLookup): ServicePath | undefined {
  const outside = ports.map(({ family, port }) => {
    return [family, [...new Set([...port.loadBalancerVIPs, ...port.externalIPs])]] as const;
  });
  return pathTo(outside, ports[0]?.port.port) ?? pathVia(ports, "nodePort", question);
}

function addressesVia(port: ServicePort, via: Exclude<Via, "nodePort">): readonly string[] {
  switch (via) {
    case "clusterIP":
      return [port.clusterIP];
    case "loadBalancerIP":
      return port.loadBalancerVIPs;
    case "externalIP":
      return port.externalIPs;
  }
}

function pathTo(
  addresses: Iterable<readonly [Family, readonly string[]]>,
  port: number | undefined,
): ServicePath | undefined {
  const some = [...addresses].filter(([, own]) => own.length > 0);
  return some.length === 0 || port === undefined ? undefined : { addresses: new Map(some), port };
}

/** The node's address of each family; where node ports are not served there, all addresses at which they are. */
function* nodePortAddresses(
  families: readonly Family[],
  cluster: TraceCluster,
  place: Place,
): Iterable<readonly [Family, readonly string[]]> {
  const { options, nodeIPs, addresses } = cluster;
  const own = nodeAddresses(cluster, place);
  for (const family of families) {
    const ranges = nodePortRangesOf(options.nodePortAddresses, nodeIPs, family);
    const localhost = servesLocalhost(options.localhostNodePorts, ranges, family);
    const served = nodePortAddressesOf(addresses, ranges, localhost);
    const [node] = own.get(family) ?? [];
    if (served !== "all" && (node === undefined || !served.includes(node))) yield [family, served];
    else yield [family, node === undefined ? [] : [node]];
  }
}

function findService({ namespace, name }: ServiceTarget, { objects }: TraceCluster, place: Place): Service {
  const services = objects.filter((object) => object.kind === "Service");
  const found = services.find((service) => service.namespace === namespace && service.name === name);
  if (found) return found;
  const asked = `${namespace}/${name}`;
  const known = services.map((service) => `${service.namespace}/${service.name}`);
  throw new InputError(place, `no Service ${JSON.stringify(asked)}${didYouMean(asked, known)}`);
}

/** By its name, or else by its number. */
function isAsked({ name, port, protocol }: ServicePort, target: ServiceTarget): boolean {
  if (target.protocol !== undefined && target.protocol !== protocol) return false;
  return target.port === undefined || target.port === name.port || target.port === String(port);
}

/** Of such Services kube-proxy programs nothing. */
function hasNoProxy({ type, clusterIP }: Service): boolean {
  return type === "ExternalName" || clusterIP === "None";
}

function whyNone(service: Service, { port, protocol }: ServiceTarget): string {
  if (service.type === "ExternalName") return `${nameOf(service)} is of type ExternalName: it has no cluster IP`;
  if (service.clusterIP === "None") return `${nameOf(service)} is headless: it has no cluster IP`;
  if (service.foreignProxy)
    return `${nameOf(service)} is served by another proxy (service.kubernetes.io/service-proxy-name)`;
  if (service.clusterIP === "") return `${nameOf(service)} has no cluster IP yet`;
  if (service.ports.length === 0) return `${nameOf(service)} has no ports`;
  const asked = [port ?? "", protocol ?? ""].filter((part) => part !== "").join("/");
  return `${nameOf(service)} has no port ${asked}; its ports are ${portsOf(service)}`;
}

function portsOf({ ports }: Service): string {
  return ports.map(({ name, port, protocol }) => `${name === "" ? port : name}/${protocol.toLowerCase()}`).join(", ");
}

function nameOf({ namespace, name }: Service): string {
  return `Service ${namespace}/${name}`;
}
