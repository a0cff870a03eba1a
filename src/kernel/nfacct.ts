// Which nfacct counters are there, how are they made, and what have they counted?
import { getSystemErrorName } from "node:util";
import { KernelError } from "../errors.ts";
import { type Attributes, attribute, readAttributes } from "./attributes.ts";
import { NFNETLINK_HEADER, netfilterCreate, netfilterDump } from "./netlink.ts";
import { unlessRefused } from "./refused.ts";

// nfnetlink subsystem 7 (accounting): message 0 makes a counter, 1 reads. Attributes as in nfnetlink_acct.h.
const NEW = 7 * 256;
const GET = 7 * 256 + 1;
const NAME = 1;
const PACKETS = 2;
const EEXIST = 17;

/** Can this kernel count by name at all? */
export function hasCounters(): Promise<boolean> {
  const asked = observeCounters([]).then(() => true);
  return unlessRefused(asked, false);
}

/** Those of the counters that are there. Rejects with KernelError where the kernel has no such thing. */
export async function observeCounters(names: readonly string[]): Promise<readonly string[]> {
  const there = await dumpCounters();
  return names.filter((name) => there.some((counter) => isNamed(counter, name)));
}

/** Packets counted since the counter was made; undefined when it is not there. Rejects with KernelError. */
export async function readCounter(name: string): Promise<bigint | undefined> {
  const counter = (await dumpCounters()).find((one) => isNamed(one, name));
  return counter?.get(PACKETS)?.readBigUInt64BE();
}

/** Makes the counter; one that is there already is left as it is. Rejects with KernelError. */
export async function ensureCounter(name: string): Promise<void> {
  const errno = await netfilterCreate(NEW, Buffer.concat([NFNETLINK_HEADER, attribute(NAME, nameBytes(name))]));
  if (errno === 0 || errno === EEXIST) return;
  const code = getSystemErrorName(-errno);
  throw new KernelError({ step: "nfacct", target: name, code, words: "the counter cannot be made" });
}

/** All are asked for: the answer to a question for one says that more will follow, which the kernel never sends. */
async function dumpCounters(): Promise<readonly Attributes[]> {
  const messages = await netfilterDump(GET);
  return messages.map((message) => readAttributes(message.subarray(NFNETLINK_HEADER.length)));
}

function isNamed(counter: Attributes, name: string): boolean {
  return counter.get(NAME)?.equals(nameBytes(name)) === true;
}

function nameBytes(name: string): Buffer {
  return Buffer.from(`${name}\0`);
}
