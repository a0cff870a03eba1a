// How are netlink requests made? The one file that imports the `netlink` package.
import { createNetlink, createRtNetlink, type NetlinkMessage, Protocol } from "netlink";
import { KernelError } from "../errors.ts";

/** Milliseconds after which an unanswered request fails; the kernel answers within a send, so it never will. */
const TIME_LIMIT = 5_000;

/** Type of a message that acknowledges or refuses. */
const ERROR = 2;

/** Family, version and resource of nfnetlink, all zero: in front of every message. */
export const NFNETLINK_HEADER = Buffer.alloc(4);

/** One address of an interface, as rtnetlink tells it. */
export interface LinkAddress {
  readonly index: number;
  /** Four or sixteen bytes. */
  readonly address: Uint8Array;
}

/** All addresses of all interfaces, of interfaces that are down too. Rejects with KernelError. */
export async function linkAddresses(): Promise<readonly LinkAddress[]> {
  const socket = createRtNetlink();
  try {
    const answer = socket.getAddresses({}, {}, { timeout: TIME_LIMIT });
    const messages = await named("rtnetlink", "addresses", answer);
    return messages.flatMap(({ data, attrs }) => {
      const address = attrs.local ?? attrs.address;
      return address === undefined || data.index === undefined ? [] : [{ index: data.index, address }];
    });
  } finally {
    socket.socket.close();
  }
}

/** Names of interfaces by index. Rejects with KernelError. */
export async function linkNames(): Promise<ReadonlyMap<number, string>> {
  const socket = createRtNetlink();
  try {
    const messages = await named("rtnetlink", "links", socket.getLinks({}, {}, { timeout: TIME_LIMIT }));
    return new Map(messages.map(({ data, attrs }) => [data.index ?? 0, attrs.ifname ?? ""]));
  } finally {
    socket.socket.close();
  }
}

/** Flags of netlink requests, as linux/netlink.h numbers them. */
const REQUEST = 0x1;
const DUMP = 0x300;
const CREATE_NEW = 0x600;

/** All that a netfilter subsystem has of a kind: each message behind its header. Rejects with KernelError. */
export function netfilterDump(type: number): Promise<readonly Uint8Array[]> {
  return netfilterAnswer(type, DUMP);
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
  return errnoIn(await netfilterRequest(type, payload, CREATE_NEW));
}

async function netfilterRequest(type: number, payload: Uint8Array, flags: number): Promise<readonly NetlinkMessage[]> {
  const socket = createNetlink(Protocol.NETFILTER);
  try {
    const options = { flags: REQUEST | flags, timeout: TIME_LIMIT, checkError: false };
    const [messages] = await named("netfilter netlink", `message ${type}`, socket.request(type, payload, options));
    return messages;
  } finally {
    socket.close();
  }
}

function errnoIn(messages: readonly NetlinkMessage[]): number {
  const refusal = messages.find(({ type }) => type === ERROR);
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
  return new KernelError({ step, target, words, code: words.split(" ").at(-1) ?? "failed", cause });
}
