// Where in a whole text does a fault stand that was found in a part of it?
import { RuleSyntaxError } from "../errors.ts";

/** Reads a part; `lineOf` gives the line of the whole for one of the part. Throws RuleSyntaxError with that one. */
export function readPart<T>(read: () => T, lineOf: (line: number) => number): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RuleSyntaxError)) throw error;
    const reason = error.message.slice(`line ${error.line}: `.length, -`: ${error.text}`.length);
    throw new RuleSyntaxError(lineOf(error.line), error.text, reason);
  }
}
