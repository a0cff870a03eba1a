// Computes the ServicePorts of one Service, and reuses those that did not change.
import type { ServiceRecord } from "../api/objects.ts";
import type { Family } from "../net/family.ts";
import { lean } from "../net/lean-list.ts";
import { type Endpoint, type EndpointsByPort, endpointsOf, sameEndpoint } from "./endpoint.ts";
import { portKey } from "./names.ts";
import { keep, sameList } from "./sameness.ts";
import { type Gates, type ServicePort, sameServicePort, servicePortsOf } from "./service-port.ts";
import { type ServiceTraffic, sameTraffic, type TrafficView, trafficOf } from "./traffic.ts";

/** Besides the objects themselves, all that a Service's meaning depends on. */
export interface Viewpoint extends TrafficView, Gates {
  readonly family: Family;
}

/** One ServicePort's traffic, and every endpoint known for it: what outlives rules (flows, health) goes by these. */
export interface KnownPort {
  readonly traffic: ServiceTraffic;
  /** Sorted; usable or not. */
  readonly endpoints: readonly Endpoint[];
}

/** What was worked out for a record. Valid as long as record and viewpoint are the same. */
export interface KnownService {
  readonly record: ServiceRecord;
  /** Sorted by name. */
  readonly ports: readonly KnownPort[];
}

/** Works a record out. Whatever equals its counterpart in `before` is that very object. */
export function knownServiceOf(record: ServiceRecord, viewpoint: Viewpoint, before?: KnownService): KnownService {
  const endpoints = endpointsOf(record.slices, viewpoint.family, viewpoint.nodeName);
  const ports = servicePortsOf(record.service, viewpoint.family, viewpoint);
  const known = ports.map((port) => knownPortOf(port, endpoints, viewpoint, findCounterpart(port, before)));
  return { record, ports: lean(known) };
}

export function sameViewpoint(a: Viewpoint, b: Viewpoint): boolean {
  return (
    a.family === b.family &&
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    a.allowServiceExternalIPs === b.allowServiceExternalIPs &&
    a.ipvs === b.ipvs
  );
}

function findCounterpart({ name }: ServicePort, before: KnownService | undefined): KnownPort | undefined {
  return before?.ports.find(({ traffic: { servicePort } }) => {
    return servicePort.name.port === name.port && servicePort.protocol === name.protocol;
  });
}

function knownPortOf(
  found: ServicePort,
  byPort: EndpointsByPort,
  viewpoint: Viewpoint,
  before: KnownPort | undefined,
): KnownPort {
  const servicePort = keep(before?.traffic.servicePort, found, sameServicePort);
  const endpoints = keep(before?.endpoints, byPort.get(portKey(found.name.port, found.protocol)) ?? [], sameEndpoints);
  const traffic = keep(before?.traffic, trafficOf(servicePort, endpoints, viewpoint), sameTraffic);
  return { traffic, endpoints };
}

function sameEndpoints(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  return sameList(a, b, sameEndpoint);
}
