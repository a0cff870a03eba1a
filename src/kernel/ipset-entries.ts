// Adds many entries to an ipset, or removes them, when the kernel may reject some.
import { KernelError } from "../errors.ts";
import { printAdd } from "../state/ipset-text.ts";
import type { SetChange } from "../state/set-change.ts";
import { type EntryParts, parseEntry } from "../state/set-entry.ts";
import { entryRequest, MOST_ENTRIES } from "./ipset-codec.ts";
import { type ErrorWords, setErrorWords } from "./ipset-errors.ts";
import type { Converse } from "./netlink.ts";
import { sendBatch } from "./netlink-batch.ts";
import type { Request } from "./netlink-message.ts";

export type EntryChange = Extract<SetChange, { readonly kind: "add" | "remove" }>;

/** An entry, and what it says. */
interface Read {
  readonly text: string;
  readonly parts: EntryParts;
}

/**
 * Adds or removes all of these that the kernel takes, and tells of each one that it does not. Rejects with KernelError
 * when rights are missing or no answer comes.
 */
export async function changeEntries(change: EntryChange, converse?: Converse): Promise<readonly KernelError[]> {
  const refused: KernelError[] = [];
  const refuse = (text: string, why: ErrorWords) => refused.push(entryRefusal(change, text, why));
  const chunks = chunksOf(change, (text) => refuse(text, { code: "EINVAL", words: "it is no such entry" }));
  const results = await sendBatch("netfilter", requestsOf(change, chunks), converse);
  if (results.every((errno) => errno === 0)) return refused;
  // What the kernel stopped at is found by sending each entry of its request alone; what is done already does no harm.
  const single = [...chunksOf(change)].flatMap((chunk, index) => (results[index] === 0 ? [] : chunk));
  const each = single.map((one) => [one]);
  const errnos = await sendBatch("netfilter", requestsOf(change, each), converse);
  for (const [index, { text }] of single.entries()) {
    const errno = errnos[index];
    if (errno) refuse(text, setErrorWords(errno, change.set.type));
  }
  return refused;
}

/** Written out bit by bit as they are sent: a large cluster's all at once would leave holes in memory for good. */
function* requestsOf({ kind, set }: EntryChange, chunks: Iterable<readonly Read[]>): Iterable<Request> {
  for (const chunk of chunks) {
    const parts = chunk.map((read) => read.parts);
    yield entryRequest(kind, set, parts);
  }
}

/** As many as one request takes; those that are none are only told of. */
function* chunksOf({ set, entries }: EntryChange, malformed: (text: string) => void = () => {}): Iterable<Read[]> {
  let chunk: Read[] = [];
  for (const text of entries) {
    const parts = parseEntry(set, text);
    if (parts) chunk.push({ text, parts });
    else malformed(text);
    if (chunk.length < MOST_ENTRIES[set.family]) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function entryRefusal({ kind, set }: EntryChange, text: string, { code, words }: ErrorWords): KernelError {
  const line = printAdd(set.name, text);
  const rejected = kind === "add" ? line : line.replace("add", "del");
  return new KernelError({
    step: `ipset ${kind}`,
    target: `${set.name} ${text}`,
    code,
    words,
    rejectedLines: [rejected],
  });
}
