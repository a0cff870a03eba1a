// Which packet is meant by what `--from` and `--to` name?
import { InputError, type Place } from "../errors.ts";
import type { Family } from "../net/family.ts";
import { PROTOCOL_NUMBERS } from "../net/protocol.ts";
import type { Packet } from "../trace/packet.ts";
import type { TraceCluster } from "./trace-cluster.ts";
import type { Sender, Target } from "./trace-places.ts";
import { findSender, originOf } from "./trace-sender.ts";
import { findDestination } from "./trace-target.ts";

export interface AskedPacket {
  readonly from: Sender;
  readonly to: Target;
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

export interface FoundPacket {
  readonly packet: Packet;
  /** What may be a mistake. */
  readonly warnings: readonly string[];
  /** How it was taken where there was a choice. */
  readonly notes: readonly string[];
}

/** One packet of one family. Throws InputError where what is named is not there, or sender and target have no family in common. */
export function findPacket(asked: AskedPacket, cluster: TraceCluster, places: AskedPlaces): FoundPacket {
  const sender = findSender(asked.from, cluster, places.from);
  const destination = findDestination(asked.to, cluster, places.to);
  const usable = [...destination.addresses].filter(([family]) => cluster.families.includes(family));
  const possible = usable.filter(([family]) => sender.addresses.has(family));
  const [family, address] = possible.find(([one]) => one === asked.family) ?? possible[0] ?? [];
  if (family === undefined || address === undefined) {
    const has = usable.map(([one]) => one).join(" and ");
    throw new InputError(places.to, has === "" ? "has no address of the family that is asked for" : otherFamily(has));
  }
  const source = sender.addresses.get(family);
  const external = asked.from.kind === "external" ? [`note: external: ${source} stands for any client outside`] : [];
  return {
    packet: {
      family,
      protocol: PROTOCOL_NUMBERS[destination.protocol],
      origin: originOf(source, cluster, asked.inInterface),
      destination: address,
      destinationPort: destination.port,
      ...(asked.outInterface === undefined ? {} : { outInterface: asked.outInterface }),
      ...(sender.port === undefined ? {} : { sourcePort: sender.port }),
    },
    warnings: sender.notes,
    notes: [...external, ...otherFamilies(possible, family)],
  };
}

function otherFamily(has: string): string {
  return `has ${has} alone, which the sender has not`;
}

function otherFamilies(possible: readonly (readonly [Family, string])[], family: Family): readonly string[] {
  return possible
    .filter(([other]) => other !== family)
    .map(
      ([other, address]) =>
        `note: ${family} is traced; for ${other}, to ${address}: --ip-family ${other.toLowerCase()}`,
    );
}
