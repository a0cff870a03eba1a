// What can a kind of value do: be read from a flag, be read from a file, be printed?
import * as z from "zod";
import { InputError } from "../errors.ts";

/** The texts given for a flag, in the order of the command line. */
export type Texts = readonly [string, ...string[]];

/** What JSON can hold. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

export interface ValueType<T> {
  /** As `--help` names it. */
  readonly name: string;
  /** Reads the value of a configuration file. */
  readonly schema: z.ZodType<T>;
  /** Reads what was given for a flag. Throws InputError without a place, in the words of Go's flag library. */
  readonly parse: (texts: Texts) => T;
  /** The value in a configuration file. */
  readonly print: (value: T) => Plain;
  /** What a file may write for "the default" where the field is no pointer. */
  readonly zero: T;
  /** An empty text for its flag does nothing. */
  readonly ignoresEmpty?: true;
}

/** Reading of a flag that holds one value: each text is checked, the last one counts. */
export function lastOf<T>(parse: (text: string) => T): (texts: Texts) => T {
  return ([first, ...more]) => more.reduce((_, text) => parse(text), parse(first));
}

/** What `read` gives; where it throws InputError, the reason is worded anew. */
export function rewording<T>(read: () => T, word: (reason: string) => string): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InputError ? new InputError(error.place, word(error.reason)) : error;
  }
}

/** Lets a zod schema take over the complaint of a reader that throws InputError. */
export function checked<T>(read: (given: string) => T): (given: string, context: z.RefinementCtx) => T {
  return (given, context) => {
    try {
      return read(given);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      context.addIssue(error.reason);
      return z.NEVER;
    }
  };
}
