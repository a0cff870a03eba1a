// Netlink dumps: everything of a kind, repeated when it changes meanwhile.
import { KernelError } from "../errors.ts";
import { type Converse, type NetlinkProtocol, type Socket, withSocket } from "./netlink.ts";
import { errnoName, errnoOf, FLAG, frame, type Message, readMessages, TYPE } from "./netlink-message.ts";

/** Times that a dump is begun anew when what it walks through changes meanwhile. */
const ATTEMPTS = 5;

const EINTR = 4;

/** What to read. */
export interface DumpRequest {
  readonly protocol: NetlinkProtocol;
  readonly type: number;
  readonly payload: Uint8Array;
}

/** What was read. */
export interface Dump<T> {
  readonly found: readonly T[];
  /** False when it changed at each attempt: something may be missing, or be there twice. */
  readonly whole: boolean;
}

/**
 * Reads all of a kind. `read` gets what stands behind each message's header, and copies what it keeps, for its memory
 * is shared with many others; undefined leaves a message out. Rejects with KernelError when the kernel refuses, and with
 * what `read` throws.
 */
export async function dump<T>(
  request: DumpRequest,
  read: (payload: Buffer) => T | undefined,
  converse: Converse = withSocket,
): Promise<Dump<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const got = await converse(request.protocol, "dump", (socket) => dumpOnce(socket, request, read));
    if (got.whole || attempt === ATTEMPTS) return got;
  }
}

/** How many messages of a dump are counted, of which nothing is kept. Rejects with KernelError. */
export async function countMessages(
  request: DumpRequest,
  isCounted: (payload: Buffer) => boolean,
  converse?: Converse,
): Promise<number> {
  let count = 0;
  await converseOnce(
    request,
    (payload) => {
      if (isCounted(payload)) count += 1;
    },
    converse,
  );
  return count;
}

/** An interrupted dump has counted too few or too many, which another check finds out. */
async function converseOnce(request: DumpRequest, read: (payload: Buffer) => void, converse: Converse = withSocket) {
  const nothing = (payload: Buffer): undefined => read(payload) as undefined;
  await converse(request.protocol, "dump", (socket) => dumpOnce(socket, request, nothing));
}

async function dumpOnce<T>(
  socket: Socket,
  { protocol, type, payload }: DumpRequest,
  read: (payload: Buffer) => T | undefined,
): Promise<Dump<T>> {
  const found: T[] = [];
  let whole = true;
  let errno = 0;
  await socket.exchange(frame([{ type, flags: FLAG.dump, payload }], 1), (datagram) => {
    for (const message of readMessages(datagram)) {
      whole &&= !message.interrupted;
      if (isEnd(message)) {
        errno = errnoOf(message);
        return true;
      }
      const one = read(message.payload);
      if (one !== undefined) found.push(one);
    }
    return false;
  });
  if (errno === EINTR) return { found, whole: false };
  if (errno === 0) return { found, whole };
  const code = errnoName(errno);
  throw new KernelError({ step: `${protocol} netlink`, target: `dump ${type}`, code, words: "cannot be read" });
}

/** A refusal, or the end: its status is negative when the kernel failed on the way. */
function isEnd({ type }: Message): boolean {
  return type === TYPE.error || type === TYPE.done;
}
