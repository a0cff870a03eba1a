// Serves one kind of object: lists in pages or streamed, and watches.
import { once } from "node:events";
import type { ServerResponse } from "node:http";

/**
 * How lists are told: at the beginning of a watch; in one piece, as a server answers from its memory, which is what a
 * list of any version gets; or in pages, as it answers from its store.
 */
export const LISTS = ["streamed", "plain", "paged"] as const;

export type Lists = (typeof LISTS)[number];

export interface CollectionInput {
  readonly kind: string;
  readonly apiVersion: string;
  /** Of each object, as `printMembers` gives them. */
  readonly members: readonly string[];
  /** Of the objects and of the whole. */
  readonly version: number;
}

/** Bytes that are sent at a time. */
const PIECE = 65_536;

/** Events that a watch can be resumed over. */
const HISTORY = 1000;

/** Objects of one kind, their text made once, and those who watch them. What it sends is as large as need be, never kept. */
export class Collection {
  readonly #input: CollectionInput;
  readonly #members: string[];
  readonly #watches = new Set<ServerResponse>();
  #version: number;
  /** A watch can be resumed from here on, by these events. */
  #oldest: number;
  readonly #history: { readonly version: number; readonly event: string }[] = [];

  constructor(input: CollectionInput) {
    this.#input = input;
    this.#members = [...input.members];
    this.#version = input.version;
    this.#oldest = input.version;
  }

  /** Bytes that are written and that no watcher took yet: more than the system's own buffers hold. */
  get waiting(): number {
    return Math.max(0, ...[...this.#watches].map(({ writableLength }) => writableLength));
  }

  async answer(response: ServerResponse, query: URLSearchParams, lists: Lists): Promise<void> {
    if (query.get("watch") !== "true") return this.#list(response, query, lists === "paged");
    const streams = query.get("sendInitialEvents") === "true";
    if (streams && lists !== "streamed") return refuse(response, 422, "Invalid");
    const version = Number(query.get("resourceVersion"));
    if (!streams && version < this.#oldest) return refuse(response, 410, "Expired");
    response.writeHead(200, { "content-type": "application/json" });
    if (streams) await send(response, this.#streamedList());
    else for (const each of this.#history) if (each.version > version) response.write(each.event);
    response.flushHeaders();
    this.#watches.add(response);
    response.once("close", () => this.#watches.delete(response));
  }

  /** Adds or replaces an object and sends the event to every watch. */
  write(index: number, members: string, version: number): void {
    const type = index < this.#members.length ? "MODIFIED" : "ADDED";
    this.#members[index] = members;
    this.#version = version;
    const event = this.#event(type, members);
    this.#history.push({ version, event });
    if (this.#history.length > HISTORY) this.#oldest = this.#history.shift()?.version ?? version;
    for (const response of this.#watches) response.write(event);
  }

  /** No version before this one can be watched on from. */
  forget(): void {
    this.#history.length = 0;
    this.#oldest = this.#version;
  }

  async #list(response: ServerResponse, query: URLSearchParams, inPages: boolean): Promise<void> {
    response.writeHead(200, { "content-type": "application/json" });
    const from = Number(query.get("continue") ?? 0);
    const limit = inPages ? Number(query.get("limit")) : 0;
    const to = Math.min(from + (limit || Number.POSITIVE_INFINITY), this.#members.length);
    await send(response, this.#page(from, to));
    response.end();
  }

  *#page(from: number, to: number): Iterable<string> {
    const next = to < this.#members.length ? { continue: String(to) } : {};
    const head = { kind: `${this.#input.kind}List`, apiVersion: this.#input.apiVersion };
    const metadata = { resourceVersion: String(this.#version), ...next };
    yield `${JSON.stringify({ ...head, metadata }).slice(0, -1)},"items":[`;
    for (let at = from; at < to; at++) yield `${at === from ? "" : ","}{${this.#members[at]}}`;
    yield "]}\n";
  }

  *#streamedList(): Iterable<string> {
    for (const members of this.#members) yield this.#event("ADDED", members);
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: String(this.#version), annotations };
    yield this.#event("BOOKMARK", JSON.stringify({ metadata }).slice(1, -1));
  }

  #event(type: string, members: string): string {
    const { kind, apiVersion } = this.#input;
    return `{"type":"${type}","object":{"kind":"${kind}","apiVersion":"${apiVersion}",${members}}}\n`;
  }
}

async function send(response: ServerResponse, texts: Iterable<string>): Promise<void> {
  let piece = "";
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    if (!response.write(piece)) await once(response, "drain");
    piece = "";
  }
  response.write(piece);
}

function refuse(response: ServerResponse, code: number, reason: string): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: reason }));
}
