// Reads /proc/net/ip_vs.
import { createReadStream } from "node:fs";
import { KernelError } from "../errors.ts";

/**
 * The text of /proc/net/ip_vs, of the network namespace that this process is in, in pieces of 64 KiB: other work goes on
 * between them, and the megabytes of a large cluster are never held whole. Throws KernelError.
 */
export async function* readIpvsProc(path = "/proc/net/ip_vs"): AsyncIterable<string> {
  try {
    yield* createReadStream(path, "utf8");
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    throw new KernelError({ step: "ipvs", target: path, code, words: "cannot be read", cause });
  }
}
