// Which bytes of a value that is not whole yet must be kept until the rest comes?

/** Far above the largest object that an API server can store, 1.5 MB. */
const MOST = 16 * 1024 * 1024;

/** What the server sent is not what a list or a watch is made of. */
export class JsonFault extends Error {
  override readonly name = "JsonFault";
}

/** Keeps the beginning of one value over the borders of chunks. */
export class HeldBytes {
  #pieces: Uint8Array[] = [];
  #size = 0;

  /** Bytes kept now. */
  get size(): number {
    return this.#size;
  }

  /** Keeps one more piece. Throws JsonFault when a value outgrows all that is possible. */
  keep(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > MOST) throw new JsonFault(`a value of more than ${MOST} bytes`);
    this.#pieces.push(piece);
  }

  /** The whole value as text, now that its last piece is here; nothing is kept any more. */
  takeText(last: Uint8Array): string {
    const pieces = [...this.#pieces, last];
    this.#pieces = [];
    this.#size = 0;
    return Buffer.concat(pieces).toString("utf8");
  }
}

/** Throws JsonFault for text that is no JSON. */
export function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new JsonFault("text that is no JSON");
  }
}
