// Runs programs of the system: iptables, iptables-save, iptables-restore, modprobe.
import { constants, setPriority } from "node:os";
import { Readable } from "node:stream";
import { type ExecaError, execa } from "execa";
import { KernelError } from "../errors.ts";
import { inPieces } from "./input-pieces.ts";

/** A program, its arguments, and what is written to its standard input, in pieces. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly input?: Iterable<string>;
  /** Runs at the lowest priority (nice 19): no packet or change waits for its result. */
  readonly unhurried?: boolean;
}

/**
 * Runs a program to its end and returns its standard output. Rejects with KernelError when the program cannot be started
 * or fails, and with the input's own error when reading the input fails.
 */
export type RunCommand = (command: Command) => Promise<string>;

/** Longest time that a program may take, in milliseconds; a first load of a large cluster takes minutes on old tools. */
const TIME_LIMIT = 600_000;

/** Runs programs in the process group of this process. */
export const runCommand: RunCommand = (command) => execute(command);

/** Runs programs, each in a process group of its own, so that it can be ended together with all its children. */
export interface StoppableCommands {
  readonly run: RunCommand;
  /**
   * Sends the signal to every running program and its children, and rejects every later command. Returns how many
   * programs were running.
   */
  stop(signal: "SIGTERM" | "SIGKILL"): number;
}

export function stoppableCommands(): StoppableCommands {
  const running = new Set<number>();
  let stopped = false;
  return {
    run: async (command) => {
      const { program, args } = command;
      if (!stopped) return execute(command, running);
      const words = "not started: the process is shutting down";
      throw new KernelError({ step: program, target: args.join(" "), code: "ECANCELED", words });
    },
    stop: (signal) => {
      stopped = true;
      for (const pid of running) signalGroup(pid, signal);
      return running.size;
    },
  };
}

/** `groups`: the program leads a process group of its own, whose id is in this set while the program runs. */
async function execute({ program, args, input, unhurried }: Command, groups?: Set<number>): Promise<string> {
  const running = execa(program, [...args], {
    ...(input ? { input: Readable.from(inPieces(input)) } : { stdin: "ignore" }),
    detached: groups !== undefined,
    maxBuffer: Number.POSITIVE_INFINITY,
    stripFinalNewline: false,
    timeout: TIME_LIMIT,
  });
  const { pid } = running;
  try {
    if (unhurried && pid !== undefined) giveWay(pid);
    if (groups && pid !== undefined) {
      groups.add(pid);
      // A wrapper script that is killed would leave the real tool running, with our pipes open.
      running.once("exit", (_, signal) => signal && signalGroup(pid, "SIGKILL"));
    }
    return (await running).stdout;
  } catch (error) {
    throw reasonOf(program, args, error as ExecaError);
  } finally {
    if (pid !== undefined) groups?.delete(pid);
  }
}

/** A process that has ended, or must not be slowed down, runs as it is. */
function giveWay(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {}
}

/** A group whose processes have all ended gets no signal. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {}
}

/** What went wrong: the program's refusal, or an error of ours while the input was written. */
function reasonOf(program: string, args: readonly string[], error: ExecaError): Error {
  const { cause } = error;
  if (cause instanceof Error && !("code" in cause)) return cause;
  const words = String(error.stderr ?? "").trim();
  return new KernelError({
    step: program,
    target: args.join(" "),
    code: String(error.exitCode ?? error.signal ?? error.code ?? "failed"),
    words: words === "" ? (error.originalMessage ?? error.shortMessage) : words,
    cause: error,
  });
}
