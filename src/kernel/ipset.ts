// Reads and changes the kernel's ipsets.
import { access } from "node:fs/promises";
import { KernelError } from "../errors.ts";
import { type IpSet, type OtherSet, SET_TYPES, type SetHeader, type SetType, setConflict } from "../state/ip-set.ts";
import type { SetChange } from "../state/set-change.ts";
import { joinParts, readEntryCount, readProtocols, readRevisions, readSetPart } from "./ipset-answer.ts";
import {
  createRequest,
  destroyRequest,
  headersPayload,
  listPayload,
  NEWEST_REVISION,
  protocolRequest,
  swapRequest,
  typeRequest,
} from "./ipset-codec.ts";
import { changeEntries } from "./ipset-entries.ts";
import { setErrorWords } from "./ipset-errors.ts";
import { COMMAND, SUBSYSTEM } from "./ipset-numbers.ts";
import type { Converse } from "./netlink.ts";
import { sendBatch } from "./netlink-batch.ts";
import { dump } from "./netlink-dump.ts";
import type { Request } from "./netlink-message.ts";
import { ask } from "./netlink-question.ts";

/** What the kernel can do with sets. */
export interface SetSupport {
  /** Newest version of ipset's language that it speaks; ours is 7. */
  readonly protocol: number;
  /** Types that it does not have. */
  readonly missing: readonly SetType[];
}

/** Has the kernel load what it needs for sets. Rejects with KernelError where it has no ipset at all. */
export async function readSetSupport(converse?: Converse): Promise<SetSupport> {
  const answer = await ask("netfilter", protocolRequest(), converse);
  if (answer.kind === "refused") throw refusalOf("protocol", "kernel", answer.errno);
  const missing: SetType[] = [];
  for (const type of SET_TYPES) {
    const family = type === "bitmap:port" ? "none" : "inet";
    if (typeof (await findRevision({ type, family }, converse)) !== "number") missing.push(type);
  }
  return { protocol: readProtocols(answer.payload).newest, missing };
}

/** Sets that exist under the names that were asked for. */
export interface FoundSets {
  readonly sets: readonly IpSet[];
  /** Those of a type or with options that we never use. */
  readonly otherSets: readonly OtherSet[];
}

/** The sets of these names. Rejects with KernelError. */
export async function readSets(names: Iterable<string>, converse?: Converse): Promise<FoundSets> {
  const sets: IpSet[] = [];
  const otherSets: OtherSet[] = [];
  for (const name of names) {
    const set = await readSet(name, converse);
    if (set === undefined) continue;
    if ("options" in set) otherSets.push(set);
    else sets.push(set);
  }
  return { sets, otherSets };
}

/** Those of the names that some set has, however it is made. Rejects with KernelError. */
export async function findSets(names: Iterable<string>, converse?: Converse): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) {
    if (await listSet(name, () => true, converse)) found.push(name);
  }
  return found;
}

/**
 * Says of each set that exists with another type, family or options than are wanted how it differs, headed by its name.
 * Rejects with KernelError.
 */
export async function findClashes(sets: readonly SetHeader[], converse?: Converse): Promise<readonly string[]> {
  const clashes: string[] = [];
  for (const set of sets) {
    const parts = await listSet(set.name, (payload) => readSetPart(payload).made, converse);
    const conflict = parts?.found[0] && setConflict(set, parts.found[0]);
    if (conflict !== undefined) clashes.push(`${set.name}: ${conflict}`);
  }
  return clashes;
}

/**
 * Those of the names that some set has; none where the kernel has no ipset yet: the mere question would load it, on nodes
 * that never had a use for it. `module` is there when it is loaded.
 */
export async function findKnownSets(
  names: Iterable<string>,
  module = "/sys/module/ip_set",
): Promise<readonly string[]> {
  const known = await access(module).then(
    () => true,
    () => false,
  );
  return known ? findSets(names) : [];
}

/** How many entries the sets with names like ours have together. Rejects with KernelError. */
export async function countEntries(converse?: Converse): Promise<number> {
  const request = { protocol: "netfilter", type: SUBSYSTEM | COMMAND.list, payload: headersPayload() } as const;
  const { found } = await dump(request, readEntryCount, converse);
  return found.reduce((sum, count) => sum + count, 0);
}

async function readSet(name: string, converse?: Converse): Promise<IpSet | OtherSet | undefined> {
  const parts = await listSet(name, readSetPart, converse);
  return parts && joinParts(parts.found);
}

/** Undefined where no set has the name. */
async function listSet<T>(name: string, read: (payload: Buffer) => T | undefined, converse?: Converse) {
  const request = { protocol: "netfilter", type: SUBSYSTEM | COMMAND.list, payload: listPayload(name) } as const;
  try {
    return await dump(request, read, converse);
  } catch (error) {
    if (error instanceof KernelError && error.refusal.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Makes these changes, one after the other, and tells of each what was refused: nothing where it is done, one for each
 * entry that the kernel did not take (the others are in). Rejects with KernelError when rights are missing or no answer
 * comes.
 */
export async function changeSets(
  changes: Iterable<SetChange>,
  converse?: Converse,
): Promise<readonly (readonly KernelError[])[]> {
  const results: (readonly KernelError[])[] = [];
  for (const change of changes) results.push(await changeSet(change, converse));
  return results;
}

async function changeSet(change: SetChange, converse?: Converse): Promise<readonly KernelError[]> {
  switch (change.kind) {
    case "create": {
      const revision = await findRevision(change.set, converse);
      if (typeof revision !== "number") return [revision];
      return sendOne({ kind: "create", target: change.set.name }, createRequest(change.set, revision), converse);
    }
    case "destroy":
      return sendOne({ kind: "destroy", target: change.name }, destroyRequest(change.name), converse);
    case "swap": {
      const target = `${change.name} with ${change.other}`;
      return sendOne({ kind: "swap", target }, swapRequest(change.name, change.other), converse);
    }
    case "add":
    case "remove":
      return changeEntries(change, converse);
  }
}

interface Asked {
  readonly kind: string;
  readonly target: string;
}

async function sendOne(
  { kind, target }: Asked,
  request: Request,
  converse?: Converse,
): Promise<readonly KernelError[]> {
  const [errno = 0] = await sendBatch("netfilter", [request], converse);
  return errno === 0 ? [] : [refusalOf(kind, target, errno)];
}

/** The revision to ask for: the newest that both sides know. */
async function findRevision(set: Omit<SetHeader, "name">, converse?: Converse): Promise<number | KernelError> {
  const answer = await ask("netfilter", typeRequest(set), converse);
  if (answer.kind === "refused") return refusalOf("type", set.type, answer.errno);
  return Math.min(readRevisions(answer.payload).newest, NEWEST_REVISION[set.type]);
}

function refusalOf(kind: string, target: string, errno: number): KernelError {
  return new KernelError({ step: `ipset ${kind}`, target, ...setErrorWords(errno) });
}
