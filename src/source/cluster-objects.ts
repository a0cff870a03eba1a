// Which objects of a resource does a live cluster hold now? They are listed once, not followed.
import { readObjectHead } from "../api/envelope.ts";
import { isObject } from "../api/member.ts";
import { InputError, type Place } from "../errors.ts";
import type { Server } from "./exchange.ts";
import { readList } from "./list.ts";
import type { WrittenObject } from "./manifest-text.ts";
import { RequestFailure } from "./request-failure.ts";
import type { Resource } from "./resources.ts";
import { pause } from "./timing.ts";

/** As in client-go: how often a server that names a time to wait is asked again. */
const MOST_WAITS = 10;

/** What is to become of each object. */
export interface Kept<T> {
  readonly keep: (listed: WrittenObject) => T;
  /** Takes how many there are so far. */
  readonly tell: (count: number) => void;
}

/**
 * Lists all objects as they are now; each stands at its own API path. A server that asks for patience gets it, as
 * client-go gives it. Rejects with InputError that names the resource where it cannot be listed.
 */
export async function listObjects<T>(
  server: Server,
  resource: Resource,
  { keep, tell }: Kept<T>,
): Promise<readonly T[]> {
  const { signal } = new AbortController();
  for (let waits = 0; ; waits++) {
    let kept: T[] = [];
    const listing = {
      begin: () => {
        kept = [];
      },
      item: (raw: unknown) => {
        kept.push(keep(readListed(raw, resource)));
        tell(kept.length);
      },
    };
    try {
      await readList(server, { resource, version: "", signal }, listing);
      return kept;
    } catch (error) {
      await pause(server.timing, waitAfter(error, resource, waits), signal);
    }
  }
}

/** Milliseconds. Throws what cannot be mended by waiting. */
function waitAfter(error: unknown, { path }: Resource, waits: number): number {
  if (!(error instanceof RequestFailure)) throw error;
  const { fault, message } = error;
  if (fault.type === "refused" && fault.retryAfter > 0 && waits < MOST_WAITS) return fault.retryAfter;
  throw new InputError({ source: path }, `cannot be listed: ${message}`);
}

function readListed(item: unknown, resource: Resource): WrittenObject {
  const { kind, apiVersion, read } = resource;
  const place = placeOf(item, resource);
  const raw = isObject(item) ? { kind, apiVersion, ...item } : item;
  return { place, raw, part: undefined, reading: read(raw, place) };
}

/** What can be asked for alone, with `kubectl get --raw`. */
function placeOf(item: unknown, { path, name: resource }: Resource): Place {
  const head = readObjectHead(item);
  if (!head) return { source: path };
  const above = path.replace(/(?:\/namespaces\/[^/]+)?\/[^/]+$/, "");
  const namespace = head.namespace === "" ? "" : `/namespaces/${encodeURIComponent(head.namespace)}`;
  return { source: `${above}${namespace}/${resource}/${encodeURIComponent(head.name)}` };
}
