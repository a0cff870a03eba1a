// Records that a packet is delivered, and describes the path of the replies.

import type { LocalAddresses } from "../local-addresses.ts";
import { type HostAddress, type Packet, printHostPort } from "../packet.ts";
import type { Delivery } from "../trace.ts";
import type { Branch, Recorder } from "./branches.ts";

interface DeliveryContext {
  readonly packet: Packet;
  readonly localAddresses: LocalAddresses;
  /** The original source. */
  readonly source: HostAddress | undefined;
  readonly recorder: Recorder;
}

/** Records the outcome of a branch that is delivered. */
export function recordDelivery(context: DeliveryContext, branch: Branch, where: Delivery["where"]): void {
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
  context.recorder.recordOutcome(branch, { ...delivery, notes: notesOn(delivery, context, branch) });
}

function notesOn(delivery: Omit<Delivery, "notes">, context: DeliveryContext, { reasons }: Branch): readonly string[] {
  const { translatedBy, masqueradedBy, where } = delivery;
  const skipped = where === "node" && reasons.marked !== undefined && masqueradedBy.length === 0;
  return [
    ...(skipped && context.packet.origin.kind === "arrives" ? [NOT_SENT_OUT] : []),
    ...(translatedBy === undefined ? [] : replyNotes(delivery, context)),
  ];
}

const NOT_SENT_OUT = "marked for masquerading, but a packet to the node itself does not pass POSTROUTING";

function replyNotes(delivery: Omit<Delivery, "notes">, { packet, source }: DeliveryContext): readonly string[] {
  const { masqueradedBy, where, to } = delivery;
  const sender = source === undefined || packet.origin.kind === "node" ? "the process" : source.text;
  const asked = printHostPort(packet.destination, packet.destinationPort);
  if (where === "node") return [`replies get ${asked} as their source before they leave the node`];
  if (masqueradedBy.length > 0) {
    return [`replies return to the node, which restores ${asked} as their source and forwards them to ${sender}`];
  }
  if (source?.text === to.address)
    return [`the endpoint is the sender: it receives its own packet, and no connection is established`];
  if (packet.origin.kind === "node") return [`replies return to the node, which restores ${asked} as their source`];
  return [`replies go directly to ${sender}: their source becomes ${asked} only if their route passes this node`];
}
