// How are netlink requests made? The one file that imports the `netlink` package.
import { createNetlink, createRtNetlink, Protocol } from "netlink";
import { KernelError } from "../errors.ts";

/** Milliseconds after which an unanswered request fails; the kernel answers within a send, so it never will. */
const TIME_LIMIT = 5_000;

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
    const messages = await socket.getAddresses({}, {}, { timeout: TIME_LIMIT });
    return messages.flatMap(({ data, attrs }) => {
      const address = attrs.local ?? attrs.address;
      return address === undefined || data.index === undefined ? [] : [{ index: data.index, address }];
    });
  } catch (cause) {
    throw refusalOf("rtnetlink", "addresses", cause);
  } finally {
    socket.socket.close();
  }
}

/** Names of interfaces by index. Rejects with KernelError. */
export async function linkNames(): Promise<ReadonlyMap<number, string>> {
  const socket = createRtNetlink();
  try {
    const messages = await socket.getLinks({}, {}, { timeout: TIME_LIMIT });
    return new Map(messages.map(({ data, attrs }) => [data.index ?? 0, attrs.ifname ?? ""]));
  } catch (cause) {
    throw refusalOf("rtnetlink", "links", cause);
  } finally {
    socket.socket.close();
  }
}

/** One request to a netfilter subsystem, acknowledged. Rejects with KernelError whose code is the errno's name. */
export async function netfilterRequest(type: number, payload: Uint8Array, flags = 0): Promise<void> {
  const socket = createNetlink(Protocol.NETFILTER);
  try {
    const [messages] = await socket.request(type, payload, {
      flags: 1 | flags,
      timeout: TIME_LIMIT,
      checkError: false,
    });
    const refused = messages.find((message) => message.type === 2 && message.data.readInt32LE(0) !== 0);
    if (refused) throw new Error(`errno ${-refused.data.readInt32LE(0)}`);
  } catch (cause) {
    throw refusalOf("netfilter netlink", `message ${type}`, cause);
  } finally {
    socket.close();
  }
}

function refusalOf(step: string, target: string, cause: unknown): KernelError {
  const words = cause instanceof Error ? cause.message : String(cause);
  return new KernelError({ step, target, words, code: words.split(" ").at(-1) ?? "failed", cause });
}
