// What if the kernel answered netlink as the test says? A function from what is sent to the datagrams that come back.
import type { Converse } from "../../src/kernel/netlink.ts";

/** A message of an answer. */
export interface Answer {
  readonly type: number;
  readonly flags?: number;
  readonly sequence: number;
  readonly payload: Uint8Array;
}

export interface AnswerPlan {
  readonly receiveBuffer?: number;
  /** The datagrams that answer a send; the end comes with whatever says so. */
  readonly answers: (bytes: Buffer) => readonly (readonly Answer[])[];
}

export function netlinkFunction({ receiveBuffer = 425_984, answers }: AnswerPlan): Converse {
  return (_protocol, _purpose, talk) =>
    talk({
      receiveBuffer,
      sendBuffer: 425_984,
      exchange: async (bytes, take) => {
        for (const messages of answers(bytes)) if (take(Buffer.concat(messages.map(bytesOf)))) return;
        throw new Error("the function had nothing more to say");
      },
    });
}

/** 0, or a positive errno. */
export function errnoPayload(errno: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(-errno);
  return bytes;
}

function bytesOf({ type, flags = 0, sequence, payload }: Answer): Buffer {
  const bytes = Buffer.alloc(16 + Math.ceil(payload.length / 4) * 4);
  bytes.writeUInt32LE(16 + payload.length, 0);
  bytes.writeUInt16LE(type, 4);
  bytes.writeUInt16LE(flags, 6);
  bytes.writeUInt32LE(sequence, 8);
  bytes.set(payload, 16);
  return bytes;
}
