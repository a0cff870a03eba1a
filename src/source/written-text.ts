// Which part of which text is an object?
import type { FieldPath } from "./field-path.ts";

/** A file's text. One object for each file, so that what is worked out of it need be worked out only once. */
export interface WrittenText {
  readonly language: "yaml" | "json";
  readonly text: string;
}

/** Where an object stands. */
export interface WrittenPart {
  readonly whole: WrittenText;
  /** Offsets of the document in the text. */
  readonly start: number;
  readonly end: number;
  /** From the document to the object: empty, or a position in a list's `items`. */
  readonly path: FieldPath;
}
