// Which nfacct counters are there, and how are they made?
import { getSystemErrorName } from "node:util";
import { KernelError } from "../errors.ts";
import { netfilterRequest } from "./netlink.ts";

// nfnetlink subsystem 7 (accounting): message 0 makes a counter, 1 reads one.
const NEW = 7 * 256;
const GET = 7 * 256 + 1;
const CREATE = 0x400;
const NAME = 1;
const ENOENT = 2;
const EEXIST = 17;

/** Can this kernel count by name at all? A counter that is not there is an answer too. */
export async function hasCounters(): Promise<boolean> {
  const errno = await errnoOf(GET, "fairlead-probe", 0);
  return errno === 0 || errno === ENOENT;
}

/** Those of the counters that are there. */
export async function observeCounters(names: readonly string[]): Promise<readonly string[]> {
  const errnos = await Promise.all(names.map((name) => errnoOf(GET, name, 0)));
  return names.filter((_, index) => errnos[index] === 0);
}

/** Makes the counter; one that is there already is left as it is. Rejects with KernelError. */
export async function ensureCounter(name: string): Promise<void> {
  const errno = await errnoOf(NEW, name, CREATE);
  if (errno === 0 || errno === EEXIST) return;
  const code = errno > 0 ? getSystemErrorName(-errno) : "failed";
  throw new KernelError({ step: "nfacct", target: name, code, words: "the counter cannot be made" });
}

/** 0: done; a positive errno; -1: no answer. */
async function errnoOf(type: number, name: string, flags: number): Promise<number> {
  try {
    await netfilterRequest(type, counterMessage(name), flags);
    return 0;
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    const errno = Number(error.refusal.code);
    return Number.isInteger(errno) ? errno : -1;
  }
}

/** Header of nfnetlink (family, version, resource: all zero) and the name as its one attribute. */
function counterMessage(name: string): Uint8Array {
  const text = Buffer.from(`${name}\0`);
  const message = Buffer.alloc(8 + Math.ceil(text.length / 4) * 4);
  message.writeUInt16LE(4 + text.length, 4);
  message.writeUInt16LE(NAME, 6);
  text.copy(message, 8);
  return message;
}
