// How are kernel settings read and written?
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { KernelError } from "../errors.ts";
import type { Sysctl } from "../state/kernel-state.ts";

/** Where settings are. One that is elsewhere (a module's parameter below /sys) has an absolute path. */
const SETTINGS = "/proc/sys";

/** The value of a setting such as `net/ipv4/ip_forward`; undefined when it cannot be read. */
export async function readSysctl(path: string): Promise<string | undefined> {
  try {
    return (await readFile(resolve(SETTINGS, path), "utf8")).trim();
  } catch {
    return undefined;
  }
}

/** Those of the settings that can be read. */
export async function observeSysctls(paths: readonly string[]): Promise<readonly Sysctl[]> {
  const values = await Promise.all(paths.map(async (path) => ({ path, value: await readSysctl(path) })));
  return values.flatMap(({ path, value }) => (value === undefined ? [] : [{ path, value }]));
}

/** Rejects with KernelError when the kernel refuses the value or has no such setting. */
export async function writeSysctl(path: string, value: string): Promise<void> {
  try {
    await writeFile(resolve(SETTINGS, path), value);
  } catch (cause) {
    const { code = "failed", message } = cause as NodeJS.ErrnoException;
    throw new KernelError({ step: "sysctl", target: path, code, words: message, cause });
  }
}
