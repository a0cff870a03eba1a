// Turns errors of the system, TLS, HTTP and credentials into ConnectionError, without secrets.
import { InputError } from "../errors.ts";
import { ConnectionError, type RequestPhase } from "./connection.ts";

/**
 * What a request met: bad credentials, or an error of the system, of TLS or of HTTP. Their texts name hosts, fields and
 * certificates, never what we showed the server. What is none of these is a bug and is thrown again.
 */
export function failureOf(server: string, error: unknown, phase: RequestPhase): ConnectionError {
  if (error instanceof ConnectionError) return error;
  if (error instanceof InputError) return new ConnectionError(server, "CREDENTIALS", error.message, "connect");
  if (!(error instanceof Error && "code" in error && typeof error.code === "string")) throw error;
  return new ConnectionError(server, error.code, wordsOf(error), phase);
}

// A host with several addresses fails with one error for each of them.
function wordsOf(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message;
  return error.errors.map((each: unknown) => (each instanceof Error ? each.message : String(each))).join("; ");
}
