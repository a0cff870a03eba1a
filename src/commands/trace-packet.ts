// Resolves --from and --to to packets: one, or one for each address by which clients outside reach a Service.
import { InputError, type Place } from "../errors.ts";
import type { Family } from "../net/family.ts";
import { PROTOCOL_NUMBERS } from "../net/protocol.ts";
import type { Packet } from "../trace/packet.ts";
import type { TraceCluster } from "./trace-cluster.ts";
import type { Sender, Target } from "./trace-places.ts";
import { type FoundSender, findSender, originOf } from "./trace-sender.ts";
import { type Destination, findDestination, type Unreachable, type Via } from "./trace-target.ts";

export interface AskedPacket {
  readonly from: Sender;
  readonly to: Target;
  readonly via?: Via | undefined;
  readonly inInterface?: string | undefined;
  readonly outInterface?: string | undefined;
  /** Preferred where there is a choice. */
  readonly family?: Family | undefined;
}

/** Where each was written, for messages. */
export interface AskedPlaces {
  readonly from: Place;
  readonly to: Place;
}

export interface FoundPackets {
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
export function findPackets(asked: AskedPacket, cluster: TraceCluster, places: AskedPlaces): FoundPackets {
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
    throw new InputError(places.to, has === "" ? "has no address of the family that is asked for" : otherFamily(has));
  }
  const sources = traced.map(([family]) => `${sender.addresses.get(family)} stands for any client outside`);
  const external = isFromOutside ? sources.map((text) => `note: external: ${text}`) : [];
  const left = possible.filter((each) => !traced.includes(each));
  const notes = [...external, ...otherFamilies(left, traced.map(([family]) => family).join(" and "))];
  return { packets: [first, ...more], warnings: sender.notes, notes };
}

interface Found {
  readonly asked: AskedPacket;
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
  return `has ${has} alone, which the sender has not`;
}

function otherFamilies(left: readonly (readonly [Family, readonly string[]])[], traced: string): readonly string[] {
  return left.map(([other, addresses]) => {
    return `note: ${traced} is traced; for ${other}, to ${addresses.join(", ")}: --ip-family ${other.toLowerCase()}`;
  });
}
