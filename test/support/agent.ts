// How does a test speak to its process inside a network namespace?
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { PLAIN_NODE } from "./program.ts";

/** A socket that answers each connection with who was reached and by whom. */
export interface Listener {
  readonly protocol: "tcp" | "udp";
  readonly address: string;
  readonly port: number;
}

/** New connections, each from a port of its own. `from` absent: the kernel chooses the source. */
export interface Probe {
  readonly protocol: "tcp" | "udp";
  readonly from?: string;
  readonly address: string;
  readonly port: number;
  readonly count: number;
  /** How many at once. */
  readonly parallel: number;
  /** Milliseconds without an answer that count as silence. */
  readonly timeout: number;
}

/** What became of one connection. `client` is the source address that the server saw; `failed` may be an errno. */
export type Outcome =
  | { readonly reached: string; readonly client: string }
  | { readonly failed: "refusal" | "silence" | string };

interface Waiting {
  resolve(result: unknown): void;
  reject(reason: Error): void;
}

const PROGRAM = fileURLToPath(new URL("agent.mjs", import.meta.url));

/** A process inside one namespace. It ends with `close`, and with the test process. */
export class Agent {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  /** `path` is the namespace's file under /run/netns. */
  constructor(path: string) {
    this.#child = spawn("nsenter", [`--net=${path}`, ...PLAIN_NODE, PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#settle(line));
    this.#child.on("exit", () => this.#fail(new Error("the process inside the namespace has ended")));
    this.#child.on("error", (error) => this.#fail(error));
  }

  /** Makes exactly these sockets listen. */
  listen(listeners: readonly Listener[]): Promise<void> {
    return this.#ask("listen", listeners);
  }

  probe(probe: Probe): Promise<readonly Outcome[]> {
    return this.#ask("probe", probe);
  }

  /** Writes kernel settings of the namespace; keys are paths under /proc/sys. */
  sysctl(values: Readonly<Record<string, string>>): Promise<void> {
    return this.#ask("sysctl", values);
  }

  close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    this.#child.stdin.end();
    return ended;
  }

  #ask<Result>(action: string, argument: unknown): Promise<Result> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ id, action, argument })}\n`);
    });
  }

  #settle(line: string): void {
    const { id, result, error } = JSON.parse(line);
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error));
  }

  #fail(reason: Error): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}
