// Where does it all happen? In namespaces that end with the last process inside, so nothing of the host's is in reach.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Files of a measurement: inside the sandbox /run is a memory file system of its own, with the lock of iptables. */
export const FOLDER = "/run/fairlead-bench";

const PREPARE = `mount -t tmpfs tmpfs /run && exec setpriv --pdeathsig KILL "$@"`;

/** Root needs a network and mounts; an ordinary user becomes root of a user namespace as well. */
const FLAGS = process.getuid?.() === 0 ? "-nm" : "-Urnm";

/** On this kernel, or on that of the virtual machine. */
export type Place = "here" | "guest";

const GUEST = fileURLToPath(new URL("../vm/run.sh", import.meta.url));

/** Seconds that a guest has. */
const GUEST_LIMIT = "1200";

/** Runs a script of this folder, bundled, in a sandbox of its own; gives its standard output. Rejects when it fails. */
export function runInSandbox(script: string, args: readonly string[], place: Place = "here"): Promise<string> {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const inside = [process.execPath, ...process.execArgv, path, ...args];
  const outside = place === "here" ? [] : [GUEST, "--timeout", GUEST_LIMIT];
  const [program = "", ...rest] = [...outside, "unshare", FLAGS, "sh", "-c", PREPARE, "sh", ...inside];
  const child = spawn(program, rest, {
    env: { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/local/sbin:/usr/sbin:/sbin` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    output += piece;
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${script} ${args.join(" ")} ended with ${code ?? signal}`));
    });
  });
}

/** To be called first inside. */
export function prepareFolder(): void {
  mkdirSync(FOLDER, { recursive: true });
}
