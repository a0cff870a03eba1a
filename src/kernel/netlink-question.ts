// How is the kernel asked for one thing, and what if it is not there?
import { misread } from "./attributes.ts";
import { type Converse, type NetlinkProtocol, withSocket } from "./netlink.ts";
import { errnoOf, frame, type Request, readMessages, TYPE } from "./netlink-message.ts";

/** What the kernel said: what stands behind the header of its message, or the positive errno of the refusal. */
export type Answer =
  | { readonly kind: "told"; readonly payload: Buffer }
  | { readonly kind: "refused"; readonly errno: number };

/** Asks one question that is no dump. Rejects with KernelError when nothing, or something else, is answered. */
export async function ask(
  protocol: NetlinkProtocol,
  request: Request,
  converse: Converse = withSocket,
): Promise<Answer> {
  let payload: Buffer | undefined;
  let errno = 0;
  await converse(protocol, "batch", ({ exchange }) =>
    exchange(frame([request], 1), (datagram) => {
      for (const message of readMessages(datagram)) {
        if (message.sequence !== 1) throw misread("answer", "not to what was asked");
        if (message.type === TYPE.error) {
          errno = errnoOf(message);
          return true;
        }
        payload = message.payload;
      }
      return false;
    }),
  );
  if (errno !== 0) return { kind: "refused", errno };
  if (payload === undefined) throw misread("answer", "there is nothing in it");
  return { kind: "told", payload };
}
