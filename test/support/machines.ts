// Which machines run, of those that a test has started?
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { guestEnvironment, vmCommand } from "./vm.ts";

/** Process ids of the machines that share this folder of the host, which is known to one test only. */
export function machines(folder: string): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    const words = commandOf(pid);
    return words.startsWith("qemu-system") && words.includes(folder);
  });
}

/** Waits up to ten seconds for that many of them. */
export async function comesTo(folder: string, count: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (machines(folder).length === count) return true;
    await sleep(100);
  }
  return false;
}

/** Starts one by way of a shell, and says which process is the shell and which the script that it started. */
export async function startMachine(folder: string): Promise<{ shell: ChildProcess; script: number }> {
  const command = vmCommand(["sleep", "1000"], { timeout: 60, out: folder });
  const program = '"$@" & echo $!; wait $!';
  const shell = spawn("sh", ["-c", program, "sh", ...command], {
    // What a killed script leaves goes with the test's own folder.
    env: { ...guestEnvironment(), TMPDIR: folder },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(shell.stdout, "data");
  if (!(await comesTo(folder, 1))) throw new Error("no machine has come up");
  return { shell, script: Number(line) };
}

// Empty for a process that has ended between two looks.
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
