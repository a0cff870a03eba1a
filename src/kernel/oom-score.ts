// How does this process say how dear it is when memory runs out?
import { readFile, writeFile } from "node:fs/promises";
import { KernelError } from "../errors.ts";

/** Milliseconds. */
const RETRY = 100;

/**
 * Sets `oom_score_adj` of this process, -1000 (never) to 1000 (first), where it differs; what fails is tried once
 * more, as in kube-proxy. Rejects with KernelError: a lower score takes CAP_SYS_RESOURCE.
 */
export async function setOomScore(score: number, file = "/proc/self/oom_score_adj"): Promise<void> {
  try {
    await write(file, score);
  } catch {
    await new Promise((resolve) => setTimeout(resolve, RETRY));
    await write(file, score).catch((cause: NodeJS.ErrnoException) => {
      const { code = "failed", message } = cause;
      throw new KernelError({ step: "oom score", target: String(score), code, words: message, cause });
    });
  }
}

async function write(file: string, score: number): Promise<void> {
  if (Number(await readFile(file, "utf8")) !== score) await writeFile(file, String(score));
}
