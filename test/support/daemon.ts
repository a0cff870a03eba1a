// Runs the program itself in a namespace and waits for what it logs.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Netns } from "./netns.ts";
import { built, type Program } from "./program.ts";

/** Milliseconds until words that were not said count as never to be said. */
const PATIENCE = 180_000;

/** A running program: what it said on standard error, and its end. */
export class Daemon {
  readonly lines: string[] = [];
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<number | null>;
  #output = "";
  #wake: () => void = () => {};

  constructor(
    args: readonly string[],
    { path }: Pick<Netns, "path">,
    env: NodeJS.ProcessEnv,
    program: Program = built(),
  ) {
    // The process must not outlive the test, however that ends.
    const inside = ["--pdeathsig", "KILL", "nsenter", `--net=${path}`, ...program];
    this.#child = spawn("setpriv", [...inside, ...args], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
      // A process group of its own, so that its tools can be ended with it.
      detached: true,
    });
    this.#ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      this.#output += piece;
    });
    createInterface({ input: this.#child.stderr }).on("line", (line) => {
      this.lines.push(line);
      this.#wake();
    });
  }

  /** Waits until so many lines with these words were said in all. Rejects with all that was said when they never come. */
  async said(words: RegExp, times = 1): Promise<readonly string[]> {
    const found = () => this.lines.filter((line) => words.test(line));
    const end = Date.now() + PATIENCE;
    while (found().length < times) {
      if (Date.now() > end) throw new Error(`never said ${words}:\n${this.lines.join("\n")}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, 200).unref();
      });
    }
    return found();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends a signal that is not meant to end it. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Ends it with a signal, and gives its exit code; null when the signal itself ended it. */
  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.#child.kill(signal);
    return this.#ended;
  }

  /** Kills it and the tools that it runs, each of which leads a process group of its own. */
  async kill(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      // Stopped first: it must not start another tool meanwhile.
      process.kill(-this.pid, "SIGSTOP");
      for (const pid of [...childrenOf(this.pid), this.pid]) killGroup(pid);
    }
    await this.#ended;
  }

  /** Waits for its end: exit code and standard output. */
  async finish(): Promise<{ readonly code: number | null; readonly output: string }> {
    return { code: await this.#ended, output: this.#output };
  }
}

/** Those that any thread of the process has started; none where the process has ended. */
function childrenOf(pid: number): readonly number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const lists = threads.map((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8"));
    return lists.flatMap((list) =>
      list
        .split(" ")
        .filter((text) => text !== "")
        .map(Number),
    );
  } catch {
    return [];
  }
}

/** A group whose processes have all ended gets no signal. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {}
}
