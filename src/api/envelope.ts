// Decodes list metadata, watch events and Status errors of the API server.
import * as z from "zod";
import { isObject, memberOf, textIn } from "./member.ts";

const text = z.string().nullish();

/** What a list says of itself. */
export interface ListHead {
  /** The moment of which the whole list tells; watch on from here. Empty: not told. */
  readonly resourceVersion: string;
  /** Where the next page begins; empty: this was the last. */
  readonly next: string;
}

const listHead = z.object({ resourceVersion: text, continue: text });

/** Reads a list's `metadata`; undefined: it is none. */
export function readListHead(raw: unknown): ListHead | undefined {
  const { data } = listHead.safeParse(raw);
  return data && { resourceVersion: data.resourceVersion ?? "", next: data.continue ?? "" };
}

/** What an object is known by, whether its content can be read or not. */
export interface ObjectHead {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
}

/** Reads the identity of an object; undefined: it has none. */
export function readObjectHead(raw: unknown): ObjectHead | undefined {
  const metadata = memberOf(raw, "metadata");
  const [namespace, name] = [textIn(metadata, "namespace"), textIn(metadata, "name")];
  const resourceVersion = textIn(metadata, "resourceVersion");
  if (namespace === undefined || !name || resourceVersion === undefined) return undefined;
  return { namespace, name, resourceVersion };
}

/** The server's own words for a refusal. */
export interface Status {
  readonly code: number;
  /** One word, such as `Expired`. */
  readonly reason: string;
  readonly message: string;
  /** Seconds; 0: not told. */
  readonly retryAfter: number;
  /** The version that was asked for is one which this server does not have yet. */
  readonly tooLarge: boolean;
}

const status = z.object({
  kind: z.literal("Status"),
  code: z.number().nullish(),
  reason: text,
  message: text,
  details: z
    .object({
      retryAfterSeconds: z.number().nullish(),
      causes: z.array(z.object({ reason: text })).nullish(),
    })
    .nullish(),
});

/** Reads a `Status`; undefined: it is none. */
export function readStatus(raw: unknown): Status | undefined {
  const { data } = status.safeParse(raw);
  if (!data) return undefined;
  const { code, reason, message, details } = data;
  const tooLarge = (details?.causes ?? []).some((cause) => cause.reason === "ResourceVersionTooLarge");
  return {
    code: code ?? 0,
    reason: reason ?? "",
    message: message ?? "",
    retryAfter: details?.retryAfterSeconds ?? 0,
    tooLarge,
  };
}

/** One line of a watch. */
export type WatchEvent =
  | { readonly type: "set"; readonly resourceVersion: string; readonly raw: unknown }
  | { readonly type: "delete"; readonly resourceVersion: string; readonly raw: unknown }
  | {
      readonly type: "bookmark";
      readonly resourceVersion: string;
      /** The objects that existed when the watch began have all been told. */
      readonly endsInitial: boolean;
    }
  | { readonly type: "error"; readonly status: Status };

const INITIAL_END = "k8s.io/initial-events-end";

const TYPES: ReadonlyMap<unknown, "set" | "delete"> = new Map([
  ["ADDED", "set"],
  ["MODIFIED", "set"],
  ["DELETED", "delete"],
]);

// A bookmark is an object of the watched kind with nothing in it but this.
const bookmark = z.object({
  metadata: z.object({ resourceVersion: z.string().min(1), annotations: z.record(z.string(), z.unknown()).nullish() }),
});

/** Reads an event of a watch; undefined: it is none that the API knows. */
export function readWatchEvent(raw: unknown): WatchEvent | undefined {
  const [named, object] = [memberOf(raw, "type"), memberOf(raw, "object")];
  if (named === "BOOKMARK") return readBookmark(object);
  if (named === "ERROR") return readError(object);
  const type = TYPES.get(named);
  const metadata = memberOf(object, "metadata");
  const resourceVersion = textIn(metadata, "resourceVersion");
  if (!type || !isObject(metadata) || resourceVersion === undefined) return undefined;
  return { type, resourceVersion, raw: object };
}

function readBookmark(raw: unknown): WatchEvent | undefined {
  const metadata = bookmark.safeParse(raw).data?.metadata;
  if (!metadata) return undefined;
  const endsInitial = metadata.annotations?.[INITIAL_END] === "true";
  return { type: "bookmark", resourceVersion: metadata.resourceVersion, endsInitial };
}

function readError(raw: unknown): WatchEvent | undefined {
  const status = readStatus(raw);
  return status && { type: "error", status };
}
