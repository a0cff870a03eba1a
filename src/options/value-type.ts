// Defines the interface of an option's value type, and helpers to implement one.
import * as z from "zod";
import { InputError } from "../errors.ts";

/** The values of one flag in the order of the command line. */
export type Texts = readonly [string, ...string[]];

/** A JSON value. */
export type Plain = string | number | boolean | null | readonly Plain[] | { readonly [key: string]: Plain };

/** How values of an option are parsed and printed. */
export interface ValueType<T> {
  /** Name in `--help`. */
  readonly name: string;
  /** Decodes the value of a configuration file. */
  readonly schema: z.ZodType<T>;
  /** Parses the values of a flag. Throws InputError without a place, with the messages of Go's flag library. */
  readonly parse: (texts: Texts) => T;
  /** The value in a configuration file. */
  readonly print: (value: T) => Plain;
  /** The zero value of Go, which means the default in a file unless the field is a pointer. */
  readonly zero: T;
  /** The flag ignores an empty value. */
  readonly ignoresEmpty?: true;
}

/** Returns a parser for flags with one value: all values must be valid, the last one is used. */
export function lastOf<T>(parse: (text: string) => T): (texts: Texts) => T {
  return ([first, ...more]) => more.reduce((_, text) => parse(text), parse(first));
}

/** Returns the result of `read`. If it throws InputError, rethrows it with another reason. */
export function rewording<T>(read: () => T, word: (reason: string) => string): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InputError ? new InputError(error.place, word(error.reason)) : error;
  }
}

/** Adapts a parser that throws InputError to a zod transformation. */
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
