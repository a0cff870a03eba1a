// Which source do this machine's own connections to an address of the machine have (linux/rtnetlink.h)?
import { addressBytes } from "./address-bytes.ts";
import { hostUint32 } from "./attribute-values.ts";
import { attribute } from "./attributes.ts";
import type { Converse } from "./netlink.ts";
import { sendBatch } from "./netlink-batch.ts";
import { FLAG, type Request } from "./netlink-message.ts";

const TYPE = { newRoute: 24, deleteRoute: 25 } as const;

const ATTRIBUTE = { destination: 1, device: 4, source: 7 } as const;

/** Family, length of the destination, table and origin of what the kernel makes for an address by itself, host, local. */
const LOCAL_ROUTE = Buffer.of(2, 32, 0, 0, 255, 2, 254, 2, 0, 0, 0, 0);

/**
 * From now on it is `source`, an address of the machine too, where it was the very address that is connected to; IPv4
 * only, as IPv6 looks at no route for that. Connections that are there keep theirs. Gives how many the kernel refused;
 * rejects with KernelError when no answer comes.
 */
export async function preferSource(
  index: number,
  addresses: readonly string[],
  source: string,
  converse?: Converse,
): Promise<number> {
  // In place of the kernel's own route.
  const flags = FLAG.create | FLAG.replace;
  const requests = addresses.map((address) => ({ ...routeRequest(index, address, source), flags }));
  const results = await sendBatch("route", requests, converse);
  return results.filter((errno) => errno !== 0).length;
}

/**
 * Takes back what `preferSource` did, for addresses that the machine has no longer: the kernel leaves a route that is not
 * its own. One that is not there is as good. Rejects with KernelError when no answer comes.
 */
export async function forgetSource(index: number, addresses: readonly string[], converse?: Converse): Promise<void> {
  const requests = addresses.map((address) => ({ ...routeRequest(index, address), type: TYPE.deleteRoute, flags: 0 }));
  await sendBatch("route", requests, converse);
}

function routeRequest(index: number, address: string, source?: string): Request {
  const payload = Buffer.concat([
    LOCAL_ROUTE,
    attribute(ATTRIBUTE.destination, addressBytes(address)),
    attribute(ATTRIBUTE.device, hostUint32(index)),
    ...(source === undefined ? [] : [attribute(ATTRIBUTE.source, addressBytes(source))]),
  ]);
  return { type: TYPE.newRoute, flags: 0, payload };
}
