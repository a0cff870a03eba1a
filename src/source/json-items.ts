// Splits the JSON text of a list into its items while it arrives.
import { HeldBytes, JsonFault, parseValue } from "./held-bytes.ts";
import { COMMA, isBlank, JsonExtent } from "./json-extent.ts";
import { findWholeEnd } from "./json-whole.ts";

const COLON = 0x3a;
const OBJECT = { open: 0x7b, close: 0x7d };
const ARRAY = { open: 0x5b, close: 0x5d };

/** A part of a list: one of its items, or another member of it, such as `metadata`. */
export type ListPart =
  | { readonly type: "item"; readonly value: unknown }
  | { readonly type: "member"; readonly name: string; readonly value: unknown };

/** What may stand at this place, white space aside. */
type Place =
  | "start"
  | "name or end"
  | "name"
  | "colon"
  | "value"
  | "member over"
  | "item or end"
  | "item"
  | "item over";

/**
 * Takes a list such as `{"kind": "ServiceList", "metadata": {…}, "items": […]}` apart while it arrives: each item by
 * itself, so that no more than one of them is ever kept. The order of the members is free.
 */
export class JsonItems {
  readonly #held = new HeldBytes();
  readonly #extent = new JsonExtent();
  #place: Place | "end" = "start";
  #inValue = false;
  #name = "";
  #hasItems = false;

  /** Bytes kept of the value that is not whole yet. */
  get held(): number {
    return this.#held.size;
  }

  /** There is an array of items, be it empty. */
  get hasItems(): boolean {
    return this.#hasItems;
  }

  /** The parts that this chunk made whole. Throws JsonFault for what is no JSON object. */
  *push(chunk: Uint8Array): Generator<ListPart, void, undefined> {
    // One character for each byte, whatever they mean.
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString("latin1");
    for (let at = 0; at < chunk.length; ) {
      const begins = !this.#inValue && this.#begins(chunk[at] ?? 0);
      if (begins || this.#inValue) {
        const whole = begins ? findWholeEnd(text, at) : -1;
        // Most items are whole in a chunk.
        const end = whole < 0 ? this.#extent.findEnd(chunk, at) : whole;
        this.#inValue = end < 0;
        if (end < 0) return this.#held.keep(chunk.subarray(at));
        const part = this.#finish(parseValue(this.#held.takeText(chunk.subarray(at, end))));
        if (part) yield part;
        at = end;
      } else at++;
    }
  }

  /** Throws JsonFault when the list is not whole. */
  end(): void {
    if (this.#place !== "end") throw new JsonFault("a list that ends in the middle");
  }

  // Whether a value begins with this byte; if not, it is a mark between values, and taken as such.
  #begins(byte: number): boolean {
    if (isBlank(byte)) return false;
    const next = this.#readMark(byte);
    if (next) this.#place = next;
    else this.#extent.begin(byte);
    return next === undefined;
  }

  // The place behind a mark; undefined where a value begins.
  #readMark(byte: number): Place | "end" | undefined {
    switch (this.#place) {
      case "start":
        return expect(byte, { [OBJECT.open]: "name or end" });
      case "name or end":
        return byte === OBJECT.close ? "end" : undefined;
      case "name":
      case "item":
        return undefined;
      case "colon":
        return expect(byte, { [COLON]: "value" });
      case "value":
        if (this.#name !== "items" || byte !== ARRAY.open) return undefined;
        this.#hasItems = true;
        return "item or end";
      case "member over":
        return expect(byte, { [COMMA]: "name", [OBJECT.close]: "end" });
      case "item or end":
        return byte === ARRAY.close ? "member over" : undefined;
      case "item over":
        return expect(byte, { [COMMA]: "item", [ARRAY.close]: "member over" });
      case "end":
        return expect(byte, {});
    }
  }

  #finish(value: unknown): ListPart | undefined {
    switch (this.#place) {
      case "value":
        this.#place = "member over";
        return { type: "member", name: this.#name, value };
      case "item":
      case "item or end":
        this.#place = "item over";
        return { type: "item", value };
      default:
        if (typeof value !== "string") throw new JsonFault("a list with a member that has no name");
        this.#name = value;
        this.#place = "colon";
        return undefined;
    }
  }
}

function expect(byte: number, marks: Readonly<Record<number, Place | "end">>): Place | "end" {
  const place = marks[byte];
  if (!place) throw new JsonFault(`a list with byte ${byte} where none such can be`);
  return place;
}
