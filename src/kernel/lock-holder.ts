// Who holds the lock that all users of iptables share?
import { readFile, stat } from "node:fs/promises";

const LOCK = "/run/xtables.lock";

/**
 * Process ids of those who hold it or wait for it; none where nobody does, or where that cannot be seen.
 * Each file system counts its files from one, and every node has a few in memory, so that a file is known by its
 * device and number together.
 */
export async function lockHolders(): Promise<readonly number[]> {
  try {
    const [{ dev, ino }, locks] = await Promise.all([stat(LOCK), readFile("/proc/locks", "utf8")]);
    const file = `${hexOfTwo(major(dev))}:${hexOfTwo(minor(dev))}:${ino}`;
    // One lock a line: `1: FLOCK  ADVISORY  WRITE 4711 00:17:1234 0 EOF`; a wait for it has `->` before FLOCK.
    const found = [...locks.matchAll(/ (\d+) ([0-9a-f]+:[0-9a-f]+:\d+) /g)];
    return found.filter(([, , held]) => held === file).map(([, pid]) => Number(pid));
  } catch {
    return [];
  }
}

// A device's number has its major part in bits 8 to 19, and its minor part around them: bits 0 to 7 and 20 to 31.
const major = (dev: number): number => (dev >>> 8) & 0xfff;
const minor = (dev: number): number => (dev & 0xff) | ((dev >>> 12) & 0xfff00);
const hexOfTwo = (part: number): string => part.toString(16).padStart(2, "0");
