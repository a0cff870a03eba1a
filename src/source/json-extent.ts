// Where does a JSON value end? Found without reading it, so that the value need not be whole.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Follows one value from its first byte. It looks at structure alone: whether the value is sound, its parser says. */
export class JsonExtent {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #scalar = false;

  /** Forgets all; the next byte is the first of a value. */
  begin(first: number): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escaped = false;
    this.#scalar = first !== QUOTE && !opens(first);
  }

  /**
   * Goes on in the chunk from `start`; answers the index behind the value's last byte, or -1 when the value goes on in
   * the next chunk. A number or word only ends where something else begins.
   */
  findEnd(chunk: Uint8Array, start: number): number {
    let at = start;
    while (at < chunk.length) {
      if (this.#scalar) {
        const byte = chunk[at] ?? 0;
        if (isBlank(byte) || byte === COMMA || closes(byte)) return at;
        at++;
        continue;
      }
      at = this.#inString ? this.#leaveText(chunk, at) : this.#readStructure(chunk, at);
      if (this.#depth === 0 && !this.#inString) return at;
    }
    return -1;
  }

  /** The index behind the text, or behind a quotation mark in it, or the end of the chunk. The search for it is native. */
  #leaveText(chunk: Uint8Array, start: number): number {
    const from = this.#escaped ? start + 1 : start;
    const quote = chunk.indexOf(QUOTE, from);
    const end = quote < 0 ? chunk.length : quote;
    let first = end;
    while (first > from && chunk[first - 1] === BACKSLASH) first--;
    const escapes = (end - first) % 2 === 1;
    this.#escaped = quote < 0 && escapes;
    this.#inString = quote < 0 || escapes;
    return quote < 0 ? end : quote + 1;
  }

  #readStructure(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] ?? 0;
    if (byte === QUOTE) this.#inString = true;
    else if (opens(byte)) this.#depth++;
    else if (closes(byte)) this.#depth--;
    return at + 1;
  }
}

export const COMMA = 0x2c;

/** The white space of JSON. */
export function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

// The brackets differ from the braces in one bit.
function opens(byte: number): boolean {
  return (byte | 0x20) === 0x7b;
}

function closes(byte: number): boolean {
  return (byte | 0x20) === 0x7d;
}
