// How do objects arrive, whatever they come from?
import type { ObjectIdentity } from "../api/object-name.ts";
import type { Kind, KubernetesObject } from "../api/objects.ts";
import type { PassedOver } from "../api/reading.ts";
import type { InputError } from "../errors.ts";

export type Change =
  /** New, or newer than the one of the same name. */
  | { readonly type: "set"; readonly object: KubernetesObject }
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

/** Batches until the reader stops or the source's signal is aborted; the first completes every kind it can. */
export type Source = AsyncIterable<Batch>;
