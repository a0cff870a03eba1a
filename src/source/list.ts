// Lists all objects of a resource, page by page, and hands over each object as it arrives.
import { type ListHead, readListHead } from "../api/envelope.ts";
import { readBytes, type Server } from "./exchange.ts";
import { JsonFault } from "./held-bytes.ts";
import { JsonItems } from "./json-items.ts";
import { RequestFailure, unreadable } from "./request-failure.ts";
import { printPath, type Resource } from "./resources.ts";

/** The API server itself gives up on a request after a minute. */
const SILENCE = 90_000;

/** Objects of one page, as client-go asks for them. */
const PAGE = "500";

/** Where what is listed goes. */
export interface Listing {
  /** A list begins, from its first object, maybe once more. */
  begin(): void;
  item(raw: unknown): void;
}

export interface ListQuestion {
  readonly resource: Resource;
  /** At least as new as this version; `0`: whatever is at hand; empty: the newest. */
  readonly version: string;
  readonly signal: AbortSignal;
}

/**
 * Lists all objects; answers the version from which to watch on. When the server forgets the list between two pages it
 * is begun anew and asked for in one piece, so that it cannot happen again. Throws RequestFailure.
 */
export async function readList(server: Server, question: ListQuestion, listing: Listing): Promise<string> {
  listing.begin();
  const { resource, version: resourceVersion } = question;
  // A version of its own is answered from memory, and only in one piece.
  const limit = resourceVersion === "" || resourceVersion === "0" ? PAGE : "";
  let page = printPath(resource, { limit, resourceVersion });
  for (;;) {
    const head = await readPage(server, { ...question, page }, listing);
    if (head === "forgotten") {
      listing.begin();
      page = printPath(resource, { resourceVersion });
    } else {
      if (head.next === "") return head.resourceVersion;
      page = printPath(resource, { limit, continue: head.next });
    }
  }
}

interface PageQuestion extends ListQuestion {
  readonly page: string;
}

async function readPage(server: Server, question: PageQuestion, listing: Listing): Promise<ListHead | "forgotten"> {
  try {
    return await readItems(server, question, listing);
  } catch (error) {
    if (error instanceof JsonFault) throw unreadable(error.message);
    if (isForgotten(error) && question.page.includes("continue=")) return "forgotten";
    throw error;
  }
}

function isForgotten(error: unknown): boolean {
  return error instanceof RequestFailure && error.fault.type === "refused" && error.fault.versionGone;
}

async function readItems(
  server: Server,
  { resource, page, signal }: PageQuestion,
  listing: Listing,
): Promise<ListHead> {
  const items = new JsonItems();
  let [head, kind, isEmpty]: [ListHead | undefined, unknown, boolean] = [undefined, undefined, false];
  for await (const chunk of readBytes(server, { path: page, signal, silence: SILENCE })) {
    for (const part of items.push(chunk)) {
      if (part.type === "item") listing.item(part.value);
      else if (part.name === "metadata") head = readListHead(part.value);
      else if (part.name === "kind") kind = part.value;
      else if (part.name === "items") isEmpty = part.value === null;
    }
  }
  items.end();
  // Any other object with metadata, from a proxy or a wrong address, would count as an empty list and delete all.
  if (kind !== `${resource.kind}List` || !(items.hasItems || isEmpty)) throw unreadable(`no ${resource.kind}List`);
  if (!head?.resourceVersion) throw unreadable("a list without resourceVersion");
  return head;
}
