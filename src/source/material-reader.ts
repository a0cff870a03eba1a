// Reads credentials from files that may be replaced while the daemon runs.
import { readFile } from "node:fs/promises";
import { InputError } from "../errors.ts";
import type { Material } from "./access.ts";
import { failureWords } from "./file-failure.ts";
import type { Timing } from "./timing.ts";

/** Milliseconds after which a file is read again; tokens rotate long before they expire. */
const FRESH = 60_000;

/** What the credentials of one connection share. */
export interface Surroundings {
  readonly timing: Timing;
  /** Tells people, once for each trouble. */
  readonly warn: (text: string) => void;
}

/** Remembers the text of a file for a minute; while the file cannot be read, what it said last. */
export class MaterialReader {
  readonly #material: Material;
  readonly #surroundings: Surroundings;
  #text: string | undefined;
  #freshUntil = 0;
  #warned = false;

  constructor(material: Material, surroundings: Surroundings) {
    this.#material = material;
    this.#surroundings = surroundings;
  }

  /** Throws InputError when a file was never readable. */
  async read(): Promise<string> {
    const material = this.#material;
    if (material.type === "text") return material.text;
    const known = this.#text;
    const { timing, warn } = this.#surroundings;
    if (known !== undefined && timing.now() < this.#freshUntil) return known;
    this.#freshUntil = timing.now() + FRESH;
    try {
      this.#text = await readFilled(material);
      this.#warned = false;
    } catch (error) {
      if (known === undefined || !(error instanceof InputError)) throw error;
      if (!this.#warned) warn(`${error.message}; what it said before is used on`);
      this.#warned = true;
    }
    return this.#text ?? "";
  }

  /** The next reading looks at the file. */
  expire(): void {
    this.#freshUntil = 0;
  }
}

// A file that is just being written is empty for a moment.
async function readFilled({ path, place }: Material & { readonly type: "file" }): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new InputError(place, `${path} cannot be read: ${failureWords(error)}`);
  });
  if (text.trim() === "") throw new InputError(place, `${path} is empty`);
  return text;
}
