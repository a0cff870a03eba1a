// Did the input allow what was tried?
import { InputError } from "../errors.ts";

/** The result, or why the input does not allow it. Whatever else is thrown stays thrown. */
export function orRefusal<T>(attempt: () => T): T | InputError {
  try {
    return attempt();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}
