// Converts Endpoints objects to the EndpointSlices that the EndpointSlice mirroring controller would write.
import type { Address } from "../net/address.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import type { ApiEndpoint, EndpointSlice } from "./objects.ts";

/** The most addresses that a control plane mirrors for one set of ports. */
const MOST_ADDRESSES = 1000;

type SlicePort = EndpointSlice["ports"][number];

export interface MirroredAddress extends Address {
  readonly ready: boolean;
  readonly nodeName: string;
  readonly pod: string;
}

export interface MirroredSubset {
  readonly ports: readonly SlicePort[];
  readonly addresses: readonly MirroredAddress[];
}

/** What all slices of one Endpoints object have in common. */
export interface MirrorHead {
  readonly namespace: string;
  readonly name: string;
  readonly headless: boolean;
}

/** Slices in a stable order, and how many addresses were too many. */
export interface Mirrored {
  readonly slices: readonly EndpointSlice[];
  readonly dropped: number;
}

/**
 * One slice for each set of ports and family. An address that is both ready and not ready for a port is not ready for
 * it; beyond 1000 addresses of one set of ports the rest is left out, ready ones first.
 */
export function mirrorSubsets(head: MirrorHead, subsets: readonly MirroredSubset[]): Mirrored {
  const groups = groupByPorts(mergePorts(subsets));
  const slices = groups.flatMap((group, index) =>
    FAMILIES.flatMap((family) => makeSlice(head, { family, index, group })),
  );
  const surplus = groups.map(({ addresses }) => Math.max(0, addresses.length - MOST_ADDRESSES));
  return { slices, dropped: surplus.reduce((sum, each) => sum + each, 0) };
}

interface MergedPort {
  readonly port: SlicePort;
  /** By address. */
  readonly addresses: Map<string, MirroredAddress>;
}

// Every port once, with all its addresses: subsets may repeat both.
function mergePorts(subsets: readonly MirroredSubset[]): ReadonlyMap<string, MergedPort> {
  const merged = new Map<string, MergedPort>();
  for (const { ports, addresses } of subsets) {
    for (const port of ports) {
      const entry = obtain(merged, `${port.name}/${port.protocol}/${port.port}`, () => ({
        port,
        addresses: new Map(),
      }));
      for (const address of addresses) {
        const known = entry.addresses.get(address.text);
        if (!known || (known.ready && !address.ready)) entry.addresses.set(address.text, address);
      }
    }
  }
  return merged;
}

interface PortGroup {
  readonly ports: SlicePort[];
  /** Ready ones first, then by address. */
  readonly addresses: MirroredAddress[];
}

// An address that is ready for one port and not for another is in two groups.
function groupByPorts(merged: ReadonlyMap<string, MergedPort>): readonly PortGroup[] {
  const portsOf = new Map<string, { readonly address: MirroredAddress; readonly keys: string[] }>();
  for (const [key, { addresses }] of [...merged].sort(([a], [b]) => compare(a, b))) {
    for (const address of addresses.values()) {
      obtain(portsOf, `${address.text} ${address.ready}`, () => ({
        address,
        keys: [],
      })).keys.push(key);
    }
  }
  const groups = new Map<string, PortGroup>();
  for (const { address, keys } of portsOf.values()) {
    const ports = keys.flatMap((key) => merged.get(key)?.port ?? []);
    obtain(groups, keys.join(" "), () => ({
      ports,
      addresses: [],
    })).addresses.push(address);
  }
  for (const { addresses } of groups.values()) addresses.sort(compareAddresses);
  return [...groups].sort(([a], [b]) => compare(a, b)).map(([, group]) => group);
}

interface SlicePlace {
  readonly family: Family;
  /** Tells slices of one Endpoints object apart. */
  readonly index: number;
  readonly group: PortGroup;
}

function makeSlice(head: MirrorHead, { family, index, group }: SlicePlace): readonly EndpointSlice[] {
  const kept = group.addresses.slice(0, MOST_ADDRESSES).filter((address) => address.family === family);
  if (kept.length === 0) return [];
  const slice: EndpointSlice = {
    kind: "EndpointSlice",
    namespace: head.namespace,
    name: `${head.name}-mirrored-${family.toLowerCase()}-${index}`,
    service: head.name,
    family,
    headless: head.headless,
    ports: group.ports,
    endpoints: kept.map(makeEndpoint),
  };
  return [slice];
}

// A control plane leaves serving and terminating unset, which makes an address that is not ready a serving one.
function makeEndpoint({ text, ready, nodeName, pod }: MirroredAddress): ApiEndpoint {
  return {
    address: text,
    nodeName,
    ready,
    serving: true,
    terminating: false,
    zoneHints: [],
    nodeHints: [],
    pod,
  };
}

function compareAddresses(a: MirroredAddress, b: MirroredAddress): number {
  return Number(b.ready) - Number(a.ready) || compare(a.text, b.text);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function obtain<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
