// How do objects arrive, whatever they come from?
import type { ObjectIdentity } from "../api/object-name.ts";
import type { Kind, KubernetesObject } from "../api/objects.ts";
import type { PassedOver } from "../api/reading.ts";
import type { InputError } from "../errors.ts";

/** An object that is new, or newer than the one of the same name. */
export interface SetObject {
  readonly type: "set";
  readonly object: KubernetesObject;
  /** When the cause of this change came about in the cluster, if an EndpointSlice says so; milliseconds since 1970. */
  readonly triggered?: number;
}

export type Change =
  | SetObject
  | { readonly type: "delete"; readonly identity: ObjectIdentity }
  /** All objects of this kind that exist have been told. */
  | { readonly type: "complete"; readonly kind: Kind };

/** What became known at once: apply all changes before looking at the result. */
export interface Batch {
  readonly changes: readonly Change[];
  /** What is wrong with the input now and was not a batch ago. */
  readonly problems: readonly InputError[];
  /** The same for what was passed over. */
  readonly passedOver: readonly PassedOver[];
}

/**
 * Batches until the reader stops or the source's signal is aborted. Files complete every kind with the first batch, an
 * API server each kind as soon as its list is whole.
 */
export type Source = AsyncIterable<Batch>;
