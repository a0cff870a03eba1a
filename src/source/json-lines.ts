// Which whole lines, each a JSON value, are in the bytes so far?
import { HeldBytes, parseValue } from "./held-bytes.ts";

const NEWLINE = 10;

/** Cuts a byte stream into JSON lines. What follows the last line break is no line yet, and when the stream ends never was. */
export class JsonLines {
  readonly #held = new HeldBytes();

  /** Bytes of the line that is not whole yet. */
  get held(): number {
    return this.#held.size;
  }

  /** The values of the lines that this chunk made whole. Throws JsonFault for a line that is no JSON. */
  *push(chunk: Uint8Array): Generator<unknown, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const text = this.#held.takeText(chunk.subarray(start, end));
      start = end + 1;
      if (text.trim() !== "") yield parseValue(text);
    }
    if (start < chunk.length) this.#held.keep(chunk.subarray(start));
  }
}
