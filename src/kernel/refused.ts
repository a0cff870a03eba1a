// What if the kernel says no where that is an answer too?
import { KernelError } from "../errors.ts";

/** The answer, or `instead` where it is a refusal. Any other error is a fault of ours and passed on. */
export async function unlessRefused<T, U>(answer: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KernelError) return instead;
    throw error;
  }
}
