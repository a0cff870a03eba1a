// Who holds the lock that all users of iptables share?
import { readFile, stat } from "node:fs/promises";

const LOCK = "/run/xtables.lock";

/** Process ids of those who hold it or wait for it; none where nobody does, or where that cannot be seen. */
export async function lockHolders(): Promise<readonly number[]> {
  try {
    const [{ ino }, locks] = await Promise.all([stat(LOCK), readFile("/proc/locks", "utf8")]);
    // One lock a line: `1: FLOCK  ADVISORY  WRITE 4711 00:17:1234 0 EOF`, the last number of the file being its inode.
    const found = [...locks.matchAll(/ (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /g)];
    return found.filter(([, , inode]) => Number(inode) === ino).map(([, pid]) => Number(pid));
  } catch {
    return [];
  }
}
