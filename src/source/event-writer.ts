// What becomes of one attempt to write an event?
import { readStatus } from "../api/envelope.ts";
import type { ApiRequest } from "./connection.ts";
import type { EventObject, EventSeries } from "./event-object.ts";
import type { Server } from "./exchange.ts";
import { lost, refusal } from "./request-failure.ts";
import { readRetryAfter } from "./retry-after.ts";
import { SilenceWatch } from "./silence-watch.ts";

export type Outcome =
  | { readonly type: "written" }
  /** Another event has its name: it is there already, from an attempt whose answer was lost. */
  | { readonly type: "exists" }
  /** What was to be continued is gone: events live an hour. */
  | { readonly type: "missing" }
  /** It may go well another time; `asked` is what the server wants us to wait, in milliseconds. */
  | { readonly type: "later"; readonly words: string; readonly asked: number }
  | { readonly type: "refused"; readonly words: string };

/** Milliseconds for an answer. */
const PATIENCE = 30_000;

/** Characters of an answer beyond which it is not read. */
const MOST_WORDS = 65_536;

/** Makes the event. */
export function createEvent(server: Server, event: EventObject, signal: AbortSignal): Promise<Outcome> {
  const path = pathOf(event.metadata.namespace);
  return attempt(server, { method: "POST", path, body: JSON.stringify(event), signal });
}

/** Tells that the event came again. */
export function continueEvent(
  server: Server,
  { metadata: { namespace, name } }: EventObject,
  series: EventSeries,
  signal: AbortSignal,
): Promise<Outcome> {
  const path = `${pathOf(namespace)}/${encodeURIComponent(name)}`;
  const contentType = "application/strategic-merge-patch+json";
  return attempt(server, { method: "PATCH", path, contentType, body: JSON.stringify({ series }), signal });
}

function pathOf(namespace: string): string {
  return `/apis/events.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/events`;
}

async function attempt({ connection, timing }: Server, request: ApiRequest): Promise<Outcome> {
  const watch = new SilenceWatch(timing, PATIENCE, request.signal);
  try {
    const { status, headers, body } = await connection.send({ ...request, signal: watch.signal });
    const text = await readText(body);
    if (status < 300) return { type: "written" };
    if (status === 409 && request.method === "POST") return { type: "exists" };
    if (status === 404 && request.method === "PATCH") return { type: "missing" };
    const asked = readRetryAfter(headers);
    const words = refusal(status, readStatus(parseText(text))).message;
    return status === 409 || status === 429 || status >= 500
      ? { type: "later", words, asked }
      : { type: "refused", words };
  } catch (error) {
    return { type: "later", words: lost(watch.signal.aborted ? watch.signal.reason : error).message, asked: 0 };
  } finally {
    watch.stop();
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MOST_WORDS) break;
  }
  return text;
}

/** A refusal may come from a proxy on the way, in any words. */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
