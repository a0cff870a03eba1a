// Resolves --from and --to to packets: one, or one for each address by which external clients reach a Service.

import { InputError, type Place } from "../../errors.ts";
import { isLoopback } from "../../model/node-ips.ts";
import { didYouMean } from "../../nearest.ts";
import { familyOf } from "../../net/address.ts";
import { cidrContains } from "../../net/cidr.ts";
import { FAMILIES, type Family } from "../../net/family.ts";
import { PROTOCOL_NUMBERS } from "../../net/protocol.ts";
import type { Origin, Packet } from "../../trace/packet.ts";
import { findPod, podNames, type TraceCluster } from "./cluster.ts";
import { type Destination, findDestination, type Unreachable, type Via } from "./destination.ts";
import type { Sender, Target } from "./from-to.ts";

interface FoundSender {
  /** For each family in which there is one; undefined: the node chooses one of its own. Canonical. */
  readonly addresses: ReadonlyMap<Family, string | undefined>;
  readonly port?: number;
  /** What one should know of it. */
  readonly notes: readonly string[];
}

/** Stand for any client outside: no network of anybody has them. */
const EXTERNAL: Readonly<Record<Family, readonly string[]>> = {
  IPv4: ["198.18.0.9", "203.0.113.200", "192.0.2.200"],
  IPv6: ["2001:db8:ee::9", "2001:db8:ef::9"],
};

/** Throws InputError where there is no such thing. */
function findSender(sender: Sender, cluster: TraceCluster, place: Place): FoundSender {
  switch (sender.kind) {
    case "node":
      return { addresses: new Map(FAMILIES.map((family) => [family, undefined])), notes: [] };
    case "external":
      return { addresses: new Map(FAMILIES.map((family) => [family, externalIn(cluster, family)])), notes: [] };
    case "address":
      return { ...sender, addresses: new Map([[familyOf(sender.address), sender.address]]), notes: [] };
    case "pod":
      return findPodSender(sender, cluster, place);
  }
}

/** A process of the node where the address is the node's own; else it comes in by an interface. */
function originOf(source: string | undefined, { addresses }: TraceCluster, inInterface: string | undefined): Origin {
  if (source === undefined) return { kind: "node" };
  if (isLoopback(source) || addresses.some(({ address }) => address === source)) return { kind: "node", source };
  return { kind: "arrives", source, ...(inInterface === undefined ? {} : { inInterface }) };
}

function findPodSender(
  { namespace, name }: Extract<Sender, { kind: "pod" }>,
  { objects, nodeName }: TraceCluster,
  place: Place,
): FoundSender {
  const pod = findPod(objects, { namespace, name });
  if (pod === undefined) {
    const hint = didYouMean(`${namespace}/${name}`, podNames(objects));
    throw new InputError(place, `no Pod "${namespace}/${name}" in the input${hint}`);
  }
  if (pod.addresses.length === 0) throw new InputError(place, `Pod ${namespace}/${name} has no address yet`);
  const elsewhere = pod.nodeName !== "" && nodeName !== "" && pod.nodeName !== nodeName;
  const note = `note: Pod ${namespace}/${name} is on node ${pod.nodeName}, so its packets pass the rules of that node, not those of ${nodeName}`;
  const addresses = pod.addresses.toReversed().map((address) => [familyOf(address), address] as const);
  return { addresses: new Map(addresses), notes: elsewhere ? [note] : [] };
}

function externalIn({ options, node, addresses }: TraceCluster, family: Family): string {
  const inside = [...options.clusterCIDRs, ...node.podCIDRs];
  const isOutside = (address: string) => {
    return !inside.some((cidr) => cidrContains(cidr, address)) && !addresses.some((own) => own.address === address);
  };
  const [first = ""] = EXTERNAL[family];
  return EXTERNAL[family].find(isOutside) ?? first;
}

export interface PacketRequest {
  readonly from: Sender;
  readonly to: Target;
  readonly via?: Via | undefined;
  readonly inInterface?: string | undefined;
  readonly outInterface?: string | undefined;
  /** Preferred where there is a choice. */
  readonly family?: Family | undefined;
}

/** Where each was written, for messages. */
interface RequestPlaces {
  readonly from: Place;
  readonly to: Place;
}

interface FoundPackets {
  /** At least one, or the reason why there is none. */
  readonly packets: readonly [Packet, ...Packet[]] | Unreachable;
  /** What may be a mistake. */
  readonly warnings: readonly string[];
  /** How it was taken where there was a choice. */
  readonly notes: readonly string[];
}

/**
 * Packets of one family; or of all, where a Service has external addresses of several. Throws InputError where what is
 * named is not there, or sender and target have no family in common.
 */
export function findPackets(asked: PacketRequest, cluster: TraceCluster, places: RequestPlaces): FoundPackets {
  const sender = findSender(asked.from, cluster, places.from);
  const isFromOutside = asked.from.kind === "external";
  const destination = findDestination({ to: asked.to, via: asked.via, isFromOutside }, cluster, places.to);
  if (destination.kind === "unreachable") return { packets: destination, warnings: sender.notes, notes: [] };
  const usable = [...destination.addresses].filter(([family]) => cluster.families.includes(family));
  const possible = usable.filter(([family]) => sender.addresses.has(family));
  const preferred = possible.filter(([family]) => family === asked.family);
  const some = preferred.length > 0 ? preferred : possible;
  const traced = destination.isExternalPath ? some : some.slice(0, 1);
  const [first, ...more] = traced.flatMap(([family, addresses]) => {
    return addresses.map((address) => packetTo(address, family, { asked, sender, destination, cluster }));
  });
  if (first === undefined) {
    const has = usable.map(([one]) => one).join(" and ");
    throw new InputError(places.to, has === "" ? "has no address of the requested IP family" : otherFamily(has));
  }
  const sources = traced.map(
    ([family]) => `${sender.addresses.get(family)} is used as the address of any external client`,
  );
  const external = isFromOutside ? sources.map((text) => `note: external: ${text}`) : [];
  const left = possible.filter((each) => !traced.includes(each));
  const notes = [...external, ...otherFamilies(left, traced.map(([family]) => family).join(" and "))];
  return { packets: [first, ...more], warnings: sender.notes, notes };
}

interface Found {
  readonly asked: PacketRequest;
  readonly sender: FoundSender;
  readonly destination: Destination;
  readonly cluster: TraceCluster;
}

function packetTo(address: string, family: Family, { asked, sender, destination, cluster }: Found): Packet {
  return {
    family,
    protocol: PROTOCOL_NUMBERS[destination.protocol],
    origin: originOf(sender.addresses.get(family), cluster, asked.inInterface),
    destination: address,
    destinationPort: destination.port,
    ...(asked.outInterface === undefined ? {} : { outInterface: asked.outInterface }),
    ...(sender.port === undefined ? {} : { sourcePort: sender.port }),
  };
}

function otherFamily(has: string): string {
  return `has only ${has}, and the sender has no address of that IP family`;
}

function otherFamilies(left: readonly (readonly [Family, readonly string[]])[], traced: string): readonly string[] {
  return left.map(([other, addresses]) => {
    return `note: ${traced} is traced; for ${other}, to ${addresses.join(", ")}: --ip-family ${other.toLowerCase()}`;
  });
}
