// How many logical processors does this machine have, whatever part of them this process may use?
import { readdir } from "node:fs/promises";
import { availableParallelism } from "node:os";

const PROCESSORS = "/sys/devices/system/cpu";

/**
 * Processors that are online, as the kernel lists them; what this process may use where it lists none. A container that
 * is given one processor of many still shares the machine's conntrack table, whose size goes by this number.
 */
export async function countProcessors(folder = PROCESSORS): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const there = await Promise.all(
    names.filter((name) => /^cpu\d+$/.test(name)).map((name) => isOnline(`${folder}/${name}`)),
  );
  return there.filter(Boolean).length || availableParallelism();
}

/** Only a processor that is online has a place among the others. */
function isOnline(folder: string): Promise<boolean> {
  return readdir(`${folder}/topology`).then(
    () => true,
    () => false,
  );
}
