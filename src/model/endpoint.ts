// Collects the endpoints of each Service port from EndpointSlices.
import type { ApiEndpoint, EndpointSlice } from "../api/objects.ts";
import { hostPort } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import { portKey } from "./names.ts";
import { sameList } from "./sameness.ts";

/** One `ip:port` behind a ServicePort, merged over all EndpointSlices of its Service. */
export interface Endpoint {
  /** Canonical address. */
  readonly ip: string;
  readonly port: number;
  /** `ip:port`, or `[ip]:port`: identity and sort key (bytewise). */
  readonly text: string;
  readonly local: boolean;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly zoneHints: readonly string[];
  readonly nodeHints: readonly string[];
}

/** Endpoints by `portKey`, each list sorted by `ip:port`, a string: `10.0.0.10:80` comes before `10.0.0.2:80`. */
export type EndpointsByPort = ReadonlyMap<string, readonly Endpoint[]>;

/**
 * Endpoints of one family out of all slices of one Service. Slices of the other family and headless ones give nothing.
 * Where one `ip:port` stands twice, the last one that is not terminating wins, slices taken in the order of their names
 * (kube-proxy leaves the choice between two such to chance).
 */
export function endpointsOf(slices: readonly EndpointSlice[], family: Family, nodeName: string): EndpointsByPort {
  const merged = new Map<string, Map<string, Endpoint>>();
  for (const slice of inOrder(slices)) {
    if (slice.family === family && !slice.headless) mergeSlice(merged, slice, nodeName);
  }
  return new Map([...merged].map(([key, endpoints]) => [key, [...endpoints.values()].sort(compareEndpoints)]));
}

export function sameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return (
    a.text === b.text &&
    a.local === b.local &&
    a.ready === b.ready &&
    a.serving === b.serving &&
    a.terminating === b.terminating &&
    sameList(a.zoneHints, b.zoneHints) &&
    sameList(a.nodeHints, b.nodeHints)
  );
}

function inOrder(slices: readonly EndpointSlice[]): readonly EndpointSlice[] {
  return slices.length < 2 ? slices : slices.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function mergeSlice(merged: Map<string, Map<string, Endpoint>>, slice: EndpointSlice, nodeName: string): void {
  for (const { name, protocol, port } of slice.ports) {
    const key = portKey(name, protocol);
    const ofPort = merged.get(key) ?? new Map<string, Endpoint>();
    for (const endpoint of slice.endpoints) merge(ofPort, endpointAt(endpoint, port, nodeName));
    merged.set(key, ofPort);
  }
}

function merge(endpoints: Map<string, Endpoint>, endpoint: Endpoint): void {
  if (!endpoint.terminating || !endpoints.has(endpoint.text)) endpoints.set(endpoint.text, endpoint);
}

function endpointAt(endpoint: ApiEndpoint, port: number, nodeName: string): Endpoint {
  return {
    ip: endpoint.address,
    port,
    text: hostPort(endpoint.address, port),
    local: nodeName !== "" && endpoint.nodeName === nodeName,
    ready: endpoint.ready,
    serving: endpoint.serving,
    terminating: endpoint.terminating,
    zoneHints: hintSet(endpoint.zoneHints),
    nodeHints: hintSet(endpoint.nodeHints),
  };
}

// Hints are a set: another order of the same names is no change.
function hintSet(hints: readonly string[]): readonly string[] {
  return hints.length < 2 ? hints : [...new Set(hints)].sort();
}

// No two of a merged list are equal. Names and addresses are ASCII, so this is the order of their bytes.
function compareEndpoints(a: Endpoint, b: Endpoint): number {
  return a.text < b.text ? -1 : 1;
}
