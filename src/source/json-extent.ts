// Where does a JSON value end? Found byte by byte, so that the value need not be whole.

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
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#inString) this.#readText(byte);
      else if (this.#scalar) {
        if (isBlank(byte) || byte === COMMA || closes(byte)) return at;
        continue;
      } else this.#readStructure(byte);
      if (this.#depth === 0 && !this.#inString) return at + 1;
    }
    return -1;
  }

  #readText(byte: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (byte === BACKSLASH) this.#escaped = true;
    else if (byte === QUOTE) this.#inString = false;
  }

  #readStructure(byte: number): void {
    if (byte === QUOTE) this.#inString = true;
    else if (opens(byte)) this.#depth++;
    else if (closes(byte)) this.#depth--;
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
