// Defines the faults of the tests' API server, and which requests they hit.

/** What goes wrong. Bytes are counted from the body's first. */
export type Trouble =
  /** Another status than 200, with a `Status` that says so. */
  | { readonly type: "status"; readonly code: number; readonly reason?: string; readonly retryAfter?: string }
  /** The connection is destroyed after so many bytes. */
  | { readonly type: "cut"; readonly after: number }
  /** The stream of HTTP/2 is reset after so many bytes, and its connection stays; over HTTP/1.1 as `cut`. */
  | { readonly type: "reset"; readonly after: number }
  /** Nothing more comes after so many bytes, and the connection stays. */
  | { readonly type: "stall"; readonly after: number }
  /** No answer at all, and the connection stays. */
  | { readonly type: "hang" }
  /** The body comes in pieces of so many bytes, with so many milliseconds between them. */
  | { readonly type: "trickle"; readonly bytes: number; readonly every: number }
  /** A 200 with this body. */
  | { readonly type: "body"; readonly text: string }
  /** A watch whose first event is an ERROR of this code. */
  | { readonly type: "error event"; readonly code: number; readonly reason?: string }
  /** A watch that tells every event twice. */
  | { readonly type: "duplicate" }
  /** A watch that tells each two neighbouring events of different objects in the wrong order. */
  | { readonly type: "swap" }
  /** A watch that begins with what exists and never says that this was all. */
  | { readonly type: "no bookmark" }
  /** A watch that ends as if its time were over, having told what there was to tell or nothing. */
  | { readonly type: "end"; readonly told: "all" | "nothing" };

export type Verb = "list" | "watch" | "get" | "create" | "patch";

export interface Fault {
  readonly trouble: Trouble;
  /** Only requests for this resource, such as `services`. */
  readonly resource?: string;
  readonly verb?: Verb;
  /** Only requests whose address holds this. */
  readonly url?: string;
  /** How many requests it hits, one unless said; Infinity: all from now on. */
  readonly times?: number;
}

export interface Request {
  readonly method: string;
  readonly url: string;
  readonly verb: Verb;
  readonly resource: string;
}

/** Faults in waiting, the oldest first. */
export class Faults {
  #waiting: Fault[] = [];

  add(fault: Fault): void {
    this.#waiting.push(fault);
  }

  clear(): void {
    this.#waiting = [];
  }

  /** The trouble of this request; it counts as one hit. */
  take({ url, verb, resource }: Request): Trouble | undefined {
    const index = this.#waiting.findIndex((fault) => {
      const fits = (fault.verb ?? verb) === verb && (fault.resource ?? resource) === resource;
      return fits && url.includes(fault.url ?? "");
    });
    const fault = this.#waiting[index];
    if (!fault) return undefined;
    const times = (fault.times ?? 1) - 1;
    this.#waiting.splice(index, 1, ...(times > 0 ? [{ ...fault, times }] : []));
    return fault.trouble;
  }
}
