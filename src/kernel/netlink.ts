// How are netlink requests made? The one file that imports the `netlink` package.
import { createNetlink, type NetlinkMessage, Protocol, RawNetlinkSocket } from "netlink";
import { KernelError } from "../errors.ts";
import { FLAG, TYPE } from "./netlink-message.ts";

/** Milliseconds after which an unanswered request fails; the kernel answers within a send, so it never will. */
const TIME_LIMIT = 5_000;

/** Parts of the kernel that answer over netlink, by number. */
const PROTOCOL = { route: Protocol.ROUTE, netfilter: Protocol.NETFILTER, generic: Protocol.GENERIC } as const;

export type NetlinkProtocol = keyof typeof PROTOCOL;

/** Family, version and resource of nfnetlink, all zero: in front of every message. */
export const NFNETLINK_HEADER = Buffer.alloc(4);

/** All that a netfilter subsystem has of a kind: each message behind its header. Rejects with KernelError. */
export function netfilterDump(type: number): Promise<readonly Uint8Array[]> {
  return netfilterAnswer(type, FLAG.dump);
}

/** What a netfilter subsystem answers to a question without arguments. Rejects with KernelError. */
export async function netfilterAnswer(type: number, flags = 0): Promise<readonly Uint8Array[]> {
  const messages = await netfilterRequest(type, NFNETLINK_HEADER, flags);
  const refused = errnoIn(messages);
  if (refused !== 0) throw refusalOf("netfilter netlink", `question ${type}`, new Error(String(refused)));
  return messages.map(({ data }) => data);
}

/** Makes something in a netfilter subsystem: 0, or the positive errno of the refusal. Rejects with KernelError. */
export async function netfilterCreate(type: number, payload: Uint8Array): Promise<number> {
  return errnoIn(await netfilterRequest(type, payload, FLAG.create | FLAG.excl));
}

async function netfilterRequest(type: number, payload: Uint8Array, flags: number): Promise<readonly NetlinkMessage[]> {
  const socket = createNetlink(Protocol.NETFILTER);
  try {
    const options = { flags: FLAG.request | flags, timeout: TIME_LIMIT, checkError: false };
    const [messages] = await named("netfilter netlink", `message ${type}`, socket.request(type, payload, options));
    return messages;
  } finally {
    socket.close();
  }
}

function errnoIn(messages: readonly NetlinkMessage[]): number {
  const refusal = messages.find(({ type }) => type === TYPE.error);
  return refusal ? -Buffer.from(refusal.data).readInt32LE(0) : 0;
}

/** The answer, or a refusal that says what was asked: the package's errors have only a message. */
function named<T>(step: string, target: string, answer: Promise<T>): Promise<T> {
  return answer.catch((cause: unknown) => {
    throw refusalOf(step, target, cause);
  });
}

function refusalOf(step: string, target: string, cause: unknown): KernelError {
  const words = cause instanceof Error ? cause.message : String(cause);
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : words.split(" ").at(-1);
  return new KernelError({ step, target, words, code: code ?? "failed", cause });
}

/** A socket for one conversation. No multicast group is ever joined on it, so all that arrives is an answer. */
export interface Socket {
  /** Bytes of answers that may wait, by the kernel's own charge. One more ends this process: see `sendBatch`. */
  readonly receiveBuffer: number;
  /** Bytes that one send may have. */
  readonly sendBuffer: number;
  /**
   * Sends, and hands out what comes until `take` says that this was all. Rejects with KernelError when it cannot be
   * sent, when nothing comes for five seconds or more, and with whatever `take` throws.
   */
  exchange(bytes: Buffer, take: (datagram: Buffer) => boolean): Promise<void>;
}

// Asked for; the kernel grants no more than its sysctls allow. A large dump comes in fewer, larger pieces.
const RECEIVE_BUFFER = 212_992;
const SEND_BUFFER = 1_048_576;
const DUMP_PIECE = 32_768;

/**
 * Opens a socket, and closes it when `talk` is over. `purpose` is what will be asked: a dump's pieces are as large as
 * we take them, an answer is looked at before it is taken. Rejects with KernelError where there is no such protocol.
 */
export async function withSocket<T>(
  protocol: NetlinkProtocol,
  purpose: "batch" | "dump",
  talk: (socket: Socket) => Promise<T>,
): Promise<T> {
  const step = `${protocol} netlink`;
  const socket = openSocket(protocol, purpose);
  try {
    return await talk({
      receiveBuffer: socket.getRecvBufferSize(),
      sendBuffer: socket.getSendBufferSize(),
      exchange: (bytes, take) => exchange({ socket, step, bytes, take }),
    });
  } finally {
    // Not now: this may run inside the package's own callback, which still uses what closing frees.
    setImmediate(() => socket.close());
  }
}

/** How a conversation is opened; another one than `withSocket` only where the kernel is a function of a test. */
export type Converse = typeof withSocket;

function openSocket(protocol: NetlinkProtocol, purpose: "batch" | "dump"): RawNetlinkSocket {
  const receiving = purpose === "dump" ? { messagePeeking: false, msgBufferSize: DUMP_PIECE } : {};
  const sizes = { recvBufferSize: RECEIVE_BUFFER, sendBufferSize: SEND_BUFFER };
  try {
    return new RawNetlinkSocket(PROTOCOL[protocol], { ...sizes, ...receiving });
  } catch (cause) {
    throw refusalOf(`${protocol} netlink`, "socket", cause);
  }
}

interface Exchange {
  readonly socket: RawNetlinkSocket;
  readonly step: string;
  readonly bytes: Buffer;
  readonly take: (datagram: Buffer) => boolean;
}

function exchange({ socket, step, bytes, take }: Exchange): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (words: string) => end(() => reject(refusalOf(step, "answer", new Error(words))));
    const watchdog = startWatchdog(() => fail("no answer ETIMEDOUT"));
    const end = (settle: () => void) => {
      watchdog.stop();
      socket.off("message", onMessage).off("truncatedMessage", onTruncated);
      settle();
    };
    const onTruncated = () => fail("too large for us EMSGSIZE");
    const onMessage = (datagram: Buffer) => {
      watchdog.calm();
      try {
        if (take(datagram)) end(resolve);
      } catch (error) {
        end(() => reject(error));
      }
    };
    socket.on("message", onMessage).on("truncatedMessage", onTruncated);
    socket.send(bytes, {}, (error) => error && end(() => reject(refusalOf(step, "send", error))));
  });
}

/** Barks when it was not calmed for the time limit. What waits in the socket at that moment is read first. */
function startWatchdog(bark: () => void): { readonly calm: () => void; readonly stop: () => void } {
  let calmed = false;
  const look = () => {
    if (calmed) calmed = false;
    else bark();
  };
  const timer = setInterval(() => setImmediate(look), TIME_LIMIT);
  return {
    calm: () => {
      calmed = true;
    },
    stop: () => clearInterval(timer),
  };
}
