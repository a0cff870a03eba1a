// How are many changes asked for at once?
import { KernelError } from "../errors.ts";
import { misread } from "./attributes.ts";
import { type Converse, type NetlinkProtocol, type Socket, withSocket } from "./netlink.ts";
import { errnoOf, frame, type Message, type Request, readMessages, sizeOf, TYPE } from "./netlink-message.ts";

const EPERM = 1;

/** Bytes of the send buffer that the kernel keeps for itself, generously. */
const SEND_RESERVE = 4096;

/** How much may be in one send. */
export interface Limits {
  readonly receiveBuffer: number;
  readonly sendBuffer: number;
}

/**
 * Has the kernel do all of these, in order, and tells of each how it went: 0, or the positive errno of the refusal. A
 * request that is refused does not stop those behind it. Only for requests that are answered by nothing but an
 * acknowledgement; each is asked for when its turn comes. Rejects with KernelError when all are refused for want of
 * rights, or no acknowledgement comes; what was done by then is not known.
 */
export async function sendBatch(
  protocol: NetlinkProtocol,
  requests: Iterable<Request>,
  converse: Converse = withSocket,
): Promise<readonly number[]> {
  if (Array.isArray(requests) && requests.length === 0) return [];
  return converse(protocol, "batch", async (socket) => {
    const results: number[] = [];
    for (const part of cut(requests, socket)) {
      const first = results.length;
      for (const _ of part) results.push(0);
      await sendPart(socket, { protocol, part, first, results });
    }
    return results;
  });
}

/**
 * Parts that may be sent one after the other. The answers of a part wait in the receive buffer together, and one that
 * finds no room there ends this process (the package dies of ENOBUFS), so they have room even when every request is
 * refused: a refusal carries the whole request.
 */
export function* cut(requests: Iterable<Request>, { receiveBuffer, sendBuffer }: Limits): Iterable<readonly Request[]> {
  let part: Request[] = [];
  let [answers, bytes] = [0, 0];
  for (const request of requests) {
    const size = sizeOf(request);
    const charge = answerCharge(size);
    answers += charge;
    bytes += size;
    if (part.length > 0 && (answers > receiveBuffer || bytes > sendBuffer - SEND_RESERVE)) {
      yield part;
      part = [];
      [answers, bytes] = [charge, size];
    }
    part.push(request);
  }
  if (part.length > 0) yield part;
}

/**
 * What the kernel charges a receive buffer for a refusal, at most: memory comes in powers of two, with some 400 bytes
 * round what is sent. Measured: 832 for a request below 100 bytes, 1280 for one of 300, 128 kB for one of 64 kB.
 */
function answerCharge(size: number): number {
  let allocated = 1024;
  while (allocated < size + 400) allocated *= 2;
  return allocated + 512;
}

interface Part {
  readonly protocol: NetlinkProtocol;
  readonly part: readonly Request[];
  /** How many requests went before. */
  readonly first: number;
  /** Where to write down what becomes of each. */
  readonly results: number[];
}

function sendPart(socket: Socket, { protocol, part, first, results }: Part): Promise<void> {
  const last = first + part.length - 1;
  return socket.exchange(frame(part, first), (datagram) => {
    const answers = readMessages(datagram);
    for (const answer of answers) results[indexOf(answer, first, last)] = acknowledged(answer, protocol);
    return answers.some(({ sequence }) => sequence === last);
  });
}

function indexOf({ type, sequence }: Message, first: number, last: number): number {
  if (type !== TYPE.error || sequence < first || sequence > last) throw misread("answer", "not to what was asked");
  return sequence;
}

/** Netfilter looks at rights once, refuses the first request, and is silent about the others. */
function acknowledged(answer: Message, protocol: NetlinkProtocol): number {
  const errno = errnoOf(answer);
  if (errno !== EPERM) return errno;
  throw new KernelError({ step: `${protocol} netlink`, target: "batch", code: "EPERM", words: "not permitted" });
}
