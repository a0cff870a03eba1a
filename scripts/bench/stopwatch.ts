// How long does a command take with no node around it? A small shell runs it and reads the clock on both sides.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** One command a line from standard input; for each its exit status and its microseconds. */
const LOOP = `while IFS= read -r command; do
  start=$EPOCHREALTIME; eval "$command" > /dev/null; status=$?; end=$EPOCHREALTIME
  echo "$status $(( \${end/[.,]/} - \${start/[.,]/} ))"
done`;

/** Where its commands run: beside this process, or in a network that nobody touched. */
export type Place = "here" | "fresh network";

/** A waiting shell. It ends with this process, since its input does. */
export class Stopwatch {
  readonly #shell: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;
  /** What to put in front of a program that is to run in the same network. Good once the shell has answered. */
  readonly enter: readonly string[];

  constructor(place: Place) {
    const [program = "", ...args] = [...(place === "here" ? [] : ["unshare", "-n"]), "bash", "-c", LOOP];
    this.#shell = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.enter = place === "here" ? [] : ["nsenter", `--net=/proc/${this.#shell.pid}/ns/net`];
    this.#answers = createInterface({ input: this.#shell.stdout })[Symbol.asyncIterator]();
  }

  /** Milliseconds that a shell command takes. Rejects when it fails. */
  async time(command: string): Promise<number> {
    this.#shell.stdin.write(`${command}\n`);
    const answer: IteratorResult<string, unknown> = await this.#answers.next();
    const [status, microseconds] = String(answer.value).split(" ").map(Number);
    if (status !== 0 || microseconds === undefined) throw new Error(`failed with ${status}: ${command}`);
    return microseconds / 1000;
  }

  end(): void {
    this.#shell.stdin.end();
  }
}
