// Can a kernel that has IPVS be booted here, and what does a command do on it?
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { execa } from "execa";

export interface GuestLimits {
  /** Seconds from the start of the boot to the end of the command; a boot takes about six. */
  readonly timeout: number;
  /** A folder of the host that the command may write to, under the same name. Absent: all that it writes is lost. */
  readonly out?: string;
}

/** How a command ended. Exit code 124: by the time-out; 125: it was never run, and `stderr` says why. */
export interface GuestEnd {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

const FETCH = fileURLToPath(new URL("../../scripts/vm/fetch.sh", import.meta.url));

const RUN = fileURLToPath(new URL("../../scripts/vm/run.sh", import.meta.url));

/**
 * Why nothing can be booted here, as tap's `skip` takes it. What is missing is downloaded first if this is root, which
 * takes as long as it takes to get about 73 MB.
 */
export function vmReason(): string | false {
  const options = process.getuid?.() === 0 ? [] : ["--check"];
  const limits = { encoding: "utf8", env: guestEnvironment(), timeout: 600_000 } as const;
  const { status, stderr, error } = spawnSync(FETCH, options, limits);
  if (status === 0) return false;
  return `no virtual machine here: ${error?.message ?? stderr.trim().split("\n").at(-1)}`;
}

/** Runs the command as root of a guest of its own, in the folder and with the environment of this process. */
export async function runInVm(command: readonly string[], limits: GuestLimits): Promise<GuestEnd> {
  const [program, ...args] = vmCommand(command, limits);
  const options = { env: guestEnvironment(), extendEnv: false, reject: false, stripFinalNewline: false } as const;
  const { exitCode, stdout, stderr } = await execa(program, args, options);
  return { exitCode, stdout, stderr };
}

/** The command of the host that does this. */
export function vmCommand(command: readonly string[], { timeout, out }: GuestLimits): [string, ...string[]] {
  const folder = out === undefined ? [] : ["--out", out];
  return [RUN, "--timeout", String(timeout), ...folder, ...command];
}

/** Our environment without what tap puts there for its own children: it would be loaded into every Node of the guest. */
export function guestEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_OPTIONS|NODE_V8_COVERAGE|_TAPJS_|TAP)/.test(name),
  );
  return Object.fromEntries(own);
}
