// How do parts of the kernel that have no number of their own speak netlink, and which number do they have just now?
import { KernelError } from "../errors.ts";
import { nameBytes, requiredValue } from "./attribute-values.ts";
import { type Attributes, attribute, misread, readAttributes } from "./attributes.ts";
import type { Converse } from "./netlink.ts";
import { errnoName } from "./netlink-message.ts";
import { ask } from "./netlink-question.ts";

/** Bytes in front of the attributes: command, version, nothing. */
const HEADER = 4;

/** The part that knows the numbers of the others; its own is fixed. */
const CONTROLLER = { number: 0x10, version: 1, find: 3, id: 1, name: 2 } as const;

const ENOENT = 2;

/** All that stands behind the header of a message. */
export function genericPayload(command: number, version: number, ...attributes: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Uint8Array.of(command, version, 0, 0), ...attributes]);
}

/** The attributes of an answer. Throws KernelError for one that is cut off. */
export function readGeneric(payload: Buffer, target: string): Attributes {
  if (payload.length < HEADER) throw misread(target, "a message without a header");
  return readAttributes(payload.subarray(HEADER));
}

/**
 * The number of a family by its name, which stays as long as its module is loaded; the kernel tries to load that first.
 * Undefined where there is none. Rejects with KernelError when the kernel does not say.
 */
export async function findFamily(name: string, converse?: Converse): Promise<number | undefined> {
  const payload = genericPayload(CONTROLLER.find, CONTROLLER.version, attribute(CONTROLLER.name, nameBytes(name)));
  const answer = await ask("generic", { type: CONTROLLER.number, flags: 0, payload }, converse);
  const target = `family ${name}`;
  if (answer.kind === "refused") {
    if (answer.errno === ENOENT) return undefined;
    const code = errnoName(answer.errno);
    throw new KernelError({ step: "generic netlink", target, code, words: "cannot be found" });
  }
  // Zero would be taken, and acknowledged, by nobody.
  const id = requiredValue(readGeneric(answer.payload, target), {
    type: CONTROLLER.id,
    lengths: [2],
    target,
  }).readUInt16LE(0);
  if (id <= CONTROLLER.number) throw misread(target, `its number is ${id}`);
  return id;
}
