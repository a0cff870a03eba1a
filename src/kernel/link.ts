// The interface of virtual servers and its addresses, over rtnetlink.
import { KernelError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import {
  addAddressRequest,
  addressesPayload,
  allAddressesPayload,
  createLinkRequest,
  deleteLinkRequest,
  findLinkRequest,
  LIST_ADDRESSES,
  LIST_LINKS,
  type Link,
  type LinkAddress,
  type LinkRange,
  linksPayload,
  readAddress,
  readLink,
  readLinkAddress,
  removeAddressRequest,
} from "./link-codec.ts";
import type { Converse } from "./netlink.ts";
import { sendBatch } from "./netlink-batch.ts";
import { countMessages, dump } from "./netlink-dump.ts";
import { errnoName, type Request } from "./netlink-message.ts";
import { ask } from "./netlink-question.ts";

const DUMMY = "dummy";

const ERRNO = { EEXIST: 17, ENODEV: 19, EADDRNOTAVAIL: 99 } as const;

/** An interface to be found or made. */
export interface Device {
  readonly name: string;
  /** Of what kind it is made; another one than `dummy` only where a test's kernel has none. */
  readonly kind: string;
}

const USUAL: Device = { name: IPVS_DEVICE, kind: DUMMY };

/** The interface of this name; undefined where there is none. Rejects with KernelError. */
export async function findDevice(name: string = IPVS_DEVICE, converse?: Converse): Promise<Link | undefined> {
  const answer = await ask("route", findLinkRequest(name), converse);
  if (answer.kind === "told") return readLink(answer.payload);
  if (answer.errno === ERRNO.ENODEV) return undefined;
  throw refusalOf("find interface", name, answer.errno);
}

/**
 * The index of the interface of this name, of whatever kind it is; it is made where there is none. Rejects with
 * KernelError, with code ENOTSUP where the kernel has no interfaces of that kind.
 */
export async function ensureDevice({ name, kind }: Device = USUAL, converse?: Converse): Promise<number> {
  const found = await findDevice(name, converse);
  if (found !== undefined) return found.index;
  const [errno = 0] = await sendBatch("route", [createLinkRequest(name, kind)], converse);
  if (errno !== 0 && errno !== ERRNO.EEXIST) throw refusalOf("make interface", `${name} of kind ${kind}`, errno);
  const made = await findDevice(name, converse);
  if (made === undefined) throw refusalOf("find interface", name, ERRNO.ENODEV);
  return made.index;
}

/**
 * Deletes the interface with its addresses; as good where there is none. Rejects with KernelError, and keeps it, when it
 * is of another kind.
 */
export async function removeDevice({ name, kind }: Device = USUAL, converse?: Converse): Promise<void> {
  const found = await findDevice(name, converse);
  if (found === undefined) return;
  if (found.kind !== kind) {
    const words = `it is not of kind ${kind}, so somebody else made it`;
    throw new KernelError({ step: "delete interface", target: name, code: "EINVAL", words });
  }
  const [errno = 0] = await sendBatch("route", [deleteLinkRequest(found.index)], converse);
  if (errno !== 0 && errno !== ERRNO.ENODEV) throw refusalOf("delete interface", name, errno);
}

/** The addresses of a family that an interface has, with those somebody else added. Rejects with KernelError. */
export async function deviceAddresses(
  index: number,
  family: Family,
  converse?: Converse,
): Promise<readonly LinkRange[]> {
  const request = { protocol: "route", type: LIST_ADDRESSES, payload: addressesPayload(family) } as const;
  return (await dump(request, (payload) => readAddress(payload, index, family), converse)).found;
}

/** How many addresses of both families an interface has. Rejects with KernelError. */
export function countAddresses(index: number, converse?: Converse): Promise<number> {
  const request = { protocol: "route", type: LIST_ADDRESSES, payload: allAddressesPayload() } as const;
  // ifa_index of struct ifaddrmsg.
  return countMessages(request, (payload) => payload.readUInt32LE(4) === index, converse);
}

/** All interfaces. Rejects with KernelError. */
export async function listLinks(converse?: Converse): Promise<readonly Link[]> {
  return (await dump({ protocol: "route", type: LIST_LINKS, payload: linksPayload() }, readLink, converse)).found;
}

/**
 * All addresses of both families on all interfaces, of those that are down too, but for the one that is left out, by
 * index. In the order in which the kernel tells them. Rejects with KernelError.
 */
export async function listAddresses(leftOut?: number, converse?: Converse): Promise<readonly LinkAddress[]> {
  const request = { protocol: "route", type: LIST_ADDRESSES, payload: allAddressesPayload() } as const;
  return (await dump(request, (payload) => readLinkAddress(payload, leftOut), converse)).found;
}

/**
 * Adds each address by itself (`/32`, `/128`) and tells of each how it went: undefined where the interface has it now,
 * else the refusal, which stops none of the others. Rejects with KernelError when no answer comes.
 */
export function bindAddresses(index: number, addresses: readonly string[], converse?: Converse): Promise<Outcomes> {
  return changeAddresses({ step: "bind", request: addAddressRequest, good: ERRNO.EEXIST }, index, addresses, converse);
}

/** Removes each address, likewise; one that is not there is as good. */
export function unbindAddresses(index: number, addresses: readonly string[], converse?: Converse): Promise<Outcomes> {
  const change = { step: "unbind", request: removeAddressRequest, good: ERRNO.EADDRNOTAVAIL };
  return changeAddresses(change, index, addresses, converse);
}

/** One for each address, in their order. */
export type Outcomes = readonly (KernelError | undefined)[];

interface AddressChange {
  readonly step: string;
  readonly request: (index: number, address: string) => Request;
  /** The errno that is no refusal. */
  readonly good: number;
}

async function changeAddresses(
  { step, request, good }: AddressChange,
  index: number,
  addresses: readonly string[],
  converse?: Converse,
): Promise<Outcomes> {
  const requests = addresses.map((address) => request(index, address));
  const results = await sendBatch("route", requests, converse);
  return addresses.map((address, at) => {
    const errno = results[at];
    return errno && errno !== good ? refusalOf(`${step} address`, address, errno) : undefined;
  });
}

function refusalOf(step: string, target: string, errno: number): KernelError {
  return new KernelError({ step, target, code: errnoName(errno), words: "the kernel refuses" });
}
