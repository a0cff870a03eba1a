// Reads the events of a watch request.
import { readWatchEvent, type WatchEvent } from "../api/envelope.ts";
import { readBytes, type Server } from "./exchange.ts";
import { JsonFault } from "./held-bytes.ts";
import { JsonLines } from "./json-lines.ts";
import { refusal, unreadable } from "./request-failure.ts";
import { printPath, type Resource } from "./resources.ts";

/**
 * Milliseconds without an event after which a watch is resumed with a new request. The API server sends a bookmark each
 * minute, so that one may be half a minute late. PING and TCP keep-alive detect a dead connection sooner, but not a
 * server process or a proxy that lost the stream. To resume a watch is cheap.
 */
const SILENCE = 90_000;

/** Seconds after which the server ends a watch: from 5 to 10 minutes, as client-go, so that nodes do not come back together. */
const SHORTEST = 300;

export interface WatchQuestion {
  readonly resource: Resource;
  /** Tell what happened after this version. */
  readonly version: string;
  /** `streamed`: first all objects that exist, at least as new as the version, and then a bookmark that says so. */
  readonly initial: "none" | "streamed";
  readonly signal: AbortSignal;
}

export type ObjectEvent = Exclude<WatchEvent, { readonly type: "error" }>;

/**
 * Tells events until the server ends the watch, as it does after a while. Throws RequestFailure. Each is handed over as
 * it is read: where a chain of promises leads from one to the next, V8 keeps for long what is needed for a moment.
 */
export async function readEvents(
  server: Server,
  { resource, version, initial, signal }: WatchQuestion,
  tell: (event: ObjectEvent) => void,
): Promise<void> {
  const path = printPath(resource, {
    watch: "true",
    allowWatchBookmarks: "true",
    resourceVersion: version,
    timeoutSeconds: String(SHORTEST + Math.floor(server.timing.random() * SHORTEST)),
    ...(initial === "streamed" && { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" }),
  });
  const lines = new JsonLines();
  try {
    for await (const chunk of readBytes(server, { path, signal, silence: SILENCE })) {
      for (const line of lines.push(chunk)) tell(readLine(line));
    }
  } catch (error) {
    throw error instanceof JsonFault ? unreadable(error.message) : error;
  }
}

function readLine(line: unknown): ObjectEvent {
  const event = readWatchEvent(line);
  if (!event) throw unreadable("a watch with a line that is no event");
  if (event.type === "error") throw refusal(event.status.code, event.status);
  return event;
}
