// Records that a packet is delivered, and describes the path of the replies.

import type { Locality } from "../local-addresses.ts";
import { type HostAddress, type Packet, printHostPort } from "../packet.ts";
import type { Delivery } from "../trace.ts";
import type { Branch, Recorder } from "./branches.ts";

interface Passage {
  readonly packet: Packet;
  readonly locality: Locality;
  /** Where it set out from. */
  readonly source: HostAddress | undefined;
  readonly recorder: Recorder;
}

/** Tells the recorder that a branch has arrived. */
export function deliver(passage: Passage, branch: Branch, where: Delivery["where"]): void {
  const { state, reasons } = branch;
  const { text: address } = state.destination;
  const port = state.destinationPort;
  const delivery: Omit<Delivery, "notes"> = {
    kind: "delivered",
    where,
    to: { address, ...(port === undefined ? {} : { port }) },
    source: state.source?.text,
    ...(reasons.translated ? { translatedBy: reasons.translated } : {}),
    masqueradedBy: reasons.masqueraded ?? [],
  };
  passage.recorder.end(branch, { ...delivery, notes: notesOn(delivery, passage, branch) });
}

function notesOn(delivery: Omit<Delivery, "notes">, passage: Passage, { reasons }: Branch): readonly string[] {
  const { translatedBy, masqueradedBy, where } = delivery;
  const skipped = where === "node" && reasons.marked !== undefined && masqueradedBy.length === 0;
  return [
    ...(skipped && passage.packet.origin.kind === "arrives" ? [NOT_SENT_OUT] : []),
    ...(translatedBy === undefined ? [] : wayBack(delivery, passage)),
  ];
}

const NOT_SENT_OUT = "marked to be masqueraded, but a packet to the node itself does not pass POSTROUTING";

function wayBack(delivery: Omit<Delivery, "notes">, { packet, source }: Passage): readonly string[] {
  const { masqueradedBy, where, to } = delivery;
  const sender = source === undefined || packet.origin.kind === "node" ? "the process" : source.text;
  const asked = printHostPort(packet.destination, packet.destinationPort);
  if (where === "node") return [`answers get ${asked} as their source again before they leave the node`];
  if (masqueradedBy.length > 0) {
    return [`answers come to the node, which puts ${asked} in again as their source and passes them to ${sender}`];
  }
  if (source?.text === to.address) return [`the endpoint is the sender: it gets its own packet, and no connection`];
  if (packet.origin.kind === "node") return [`answers come to the node, which puts ${asked} in again as their source`];
  return [`answers go to ${sender} itself: only if their way leads through this node do they get ${asked} as source`];
}
