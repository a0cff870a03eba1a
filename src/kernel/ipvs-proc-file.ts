// Where does the kernel write down all of its virtual servers?
import { readFile } from "node:fs/promises";
import { KernelError } from "../errors.ts";

/** The text of /proc/net/ip_vs, of the network namespace that this process is in. Rejects with KernelError. */
export async function readIpvsProc(path = "/proc/net/ip_vs"): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    throw new KernelError({ step: "ipvs", target: path, code, words: "cannot be read", cause });
  }
}
