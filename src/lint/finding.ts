// What is a finding of `lint`?

/** `error`: what is written does not work. `warning`: it works, otherwise than a reader would think. */
export type Severity = "error" | "warning";

/** What is to be said of one field. */
export interface Remark {
  /** Dotted path inside the object, such as `spec.ports[0].nodePort`. */
  readonly field: string;
  /** What is there. */
  readonly message: string;
  /** What comes of it on the node. */
  readonly consequence: string;
}

/** A remark on an object, such as `Service shop/cart`. */
export interface ObjectRemark extends Remark {
  readonly object: string;
}

export interface Finding extends ObjectRemark {
  /** The check's own name, in words joined by dashes. */
  readonly id: string;
  readonly severity: Severity;
}
