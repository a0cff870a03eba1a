// Which nfacct counters are there, and how are they made?
import { getSystemErrorName } from "node:util";
import { KernelError } from "../errors.ts";
import { NFNETLINK_HEADER, netfilterCreate, netfilterDump } from "./netlink.ts";
import { unlessRefused } from "./refused.ts";

// nfnetlink subsystem 7 (accounting): message 0 makes a counter, 1 reads. Attribute 1 is the name.
const NEW = 7 * 256;
const GET = 7 * 256 + 1;
const NAME = 1;
const EEXIST = 17;

/** Can this kernel count by name at all? */
export function hasCounters(): Promise<boolean> {
  const asked = observeCounters([]).then(() => true);
  return unlessRefused(asked, false);
}

/**
 * Those of the counters that are there. All are asked for: the answer to a question for one says that more will follow,
 * which the kernel never sends. Rejects with KernelError where the kernel has no such thing.
 */
export async function observeCounters(names: readonly string[]): Promise<readonly string[]> {
  const there = new Set((await netfilterDump(GET)).map(nameIn));
  return names.filter((name) => there.has(name));
}

/** Makes the counter; one that is there already is left as it is. Rejects with KernelError. */
export async function ensureCounter(name: string): Promise<void> {
  const errno = await netfilterCreate(NEW, Buffer.concat([NFNETLINK_HEADER, nameAttribute(name)]));
  if (errno === 0 || errno === EEXIST) return;
  const code = getSystemErrorName(-errno);
  throw new KernelError({ step: "nfacct", target: name, code, words: "the counter cannot be made" });
}

function nameAttribute(name: string): Uint8Array {
  const text = Buffer.from(`${name}\0`);
  const attribute = Buffer.alloc(4 + Math.ceil(text.length / 4) * 4);
  attribute.writeUInt16LE(4 + text.length, 0);
  attribute.writeUInt16LE(NAME, 2);
  text.copy(attribute, 4);
  return attribute;
}

/** The name is the first attribute of a counter. */
function nameIn(message: Uint8Array): string {
  const bytes = Buffer.from(message);
  const length = bytes.readUInt16LE(4);
  return bytes.toString("latin1", 8, 4 + length - 1);
}
