// With what words was it refused?
import { KernelError, type Refusal } from "../../src/errors.ts";

/** The refusal that the promise ends in. Rejects when it ends well, or in anything else. */
export async function refusalOf(promise: Promise<unknown>): Promise<Refusal> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof KernelError) return error.refusal;
    throw error;
  }
  throw new Error("nothing was refused");
}
