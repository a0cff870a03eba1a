// How are many entries put into a set, or taken out, when the kernel may refuse some?
import { KernelError } from "../errors.ts";
import { printAdd } from "../state/ipset-text.ts";
import type { SetChange } from "../state/set-change.ts";
import { type EntryParts, parseEntry } from "../state/set-entry.ts";
import { entryRequest, MOST_ENTRIES } from "./ipset-codec.ts";
import { type ErrorWords, setErrorWords } from "./ipset-errors.ts";
import type { Converse } from "./netlink.ts";
import { sendBatch } from "./netlink-batch.ts";

export type EntryChange = Extract<SetChange, { readonly kind: "add" | "remove" }>;

/** An entry, and what it says. */
interface Read {
  readonly text: string;
  readonly parts: EntryParts;
}

/** Entries that are written out at a time: a large cluster's all at once would leave holes in memory for good. */
const PIECE = 4096;

/**
 * Adds or removes all of these that the kernel takes, and tells of each one that it does not. Rejects with KernelError
 * when rights are missing or no answer comes.
 */
export async function changeEntries(change: EntryChange, converse?: Converse): Promise<readonly KernelError[]> {
  const refused: KernelError[] = [];
  for (const entries of cut(change.entries, PIECE))
    refused.push(...(await changePiece({ ...change, entries }, converse)));
  return refused;
}

async function changePiece(change: EntryChange, converse?: Converse): Promise<readonly KernelError[]> {
  const refused: KernelError[] = [];
  const read: Read[] = [];
  for (const text of change.entries) {
    const parts = parseEntry(change.set, text);
    if (parts === undefined) refused.push(entryRefusal(change, text, { code: "EINVAL", words: "it is no such entry" }));
    else read.push({ text, parts });
  }
  const chunks = [...cut(read, MOST_ENTRIES[change.set.family])];
  const results = await send(change, chunks, converse);
  // What the kernel stopped at is found by sending each entry of its request alone; what is done already does no harm.
  const single = chunks.flatMap((chunk, index) => (results[index] === 0 ? [] : chunk));
  const errnos = await send(
    change,
    single.map((one) => [one]),
    converse,
  );
  for (const [index, { text }] of single.entries()) {
    const errno = errnos[index];
    if (errno) refused.push(entryRefusal(change, text, setErrorWords(errno, change.set.type)));
  }
  return refused;
}

function send(
  { kind, set }: EntryChange,
  chunks: readonly (readonly Read[])[],
  converse?: Converse,
): Promise<readonly number[]> {
  const requests = chunks.map((chunk) =>
    entryRequest(
      kind,
      set,
      chunk.map(({ parts }) => parts),
    ),
  );
  return sendBatch("netfilter", requests, converse);
}

function* cut<T>(all: Iterable<T>, most: number): Iterable<readonly T[]> {
  let piece: T[] = [];
  for (const one of all) {
    piece.push(one);
    if (piece.length < most) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

function entryRefusal({ kind, set }: EntryChange, text: string, { code, words }: ErrorWords): KernelError {
  const line = printAdd(set.name, text);
  const culprit = kind === "add" ? line : line.replace("add", "del");
  return new KernelError({ step: `ipset ${kind}`, target: `${set.name} ${text}`, code, words, culprit });
}
