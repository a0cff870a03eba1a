// Controls a process inside a network namespace that serves and opens connections.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { PLAIN_NODE } from "./program.ts";

/** Where a server listens, or what a client connects to. */
export interface At {
  /** Absent: TCP. A flow of UDP is an open connection too. */
  readonly protocol?: "udp";
  readonly address: string;
  readonly port: number;
}

/** What a client that went on and on came to; `failures` are errnos or words. */
export interface Experience {
  readonly count: number;
  readonly failures: readonly string[];
}

interface Waiting {
  resolve(result: unknown): void;
}

const PROGRAM = fileURLToPath(new URL("talker.mjs", import.meta.url));

/** Milliseconds until a server that did not answer counts as never answering. */
const PATIENCE = 60_000;

/** A process inside one namespace. It ends with `stop`, and with the test process. */
export class Talker {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  /** `path` is the file of the namespace. */
  constructor(path: string) {
    this.#child = spawn("nsenter", [`--net=${path}`, ...PLAIN_NODE, PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => {
      const { id, result } = JSON.parse(line);
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
    });
  }

  /** Has a server of TCP and one of UDP listen there that tell each client which address it reached, and from which one it came. */
  serve(at: At): Promise<unknown> {
    return this.#ask("serve", at);
  }

  /** Opens a connection that stays, and gives what the server says, or `failed: …`. */
  open(name: string, at: At): Promise<string> {
    return this.#ask("open", { name, ...at });
  }

  /** Connects anew until this server answers, and gives the last answer. */
  async reach(at: At, server: string): Promise<string> {
    const end = Date.now() + PATIENCE;
    for (;;) {
      const name = `${server}-${this.#asked}`;
      const answer = await this.open(name, at);
      await this.close(name);
      if (answer.includes(server) || Date.now() > end) return answer;
      await setTimeout(100);
    }
  }

  /** Says something over an open connection, and gives the answer, or `failed: …`. */
  talk(name: string): Promise<string> {
    return this.#ask("talk", name);
  }

  close(name: string): Promise<unknown> {
    return this.#ask("close", name);
  }

  /** Connects over and over, each time for one question and its answer. */
  begin(name: string, at: At): Promise<unknown> {
    return this.#ask("begin", { name, ...at });
  }

  /** Waits until that client has begun so many more connections. */
  more(name: string, times: number): Promise<unknown> {
    return this.#ask("more", { name, times });
  }

  /** Stops that, and tells how it went. */
  end(name: string): Promise<Experience> {
    return this.#ask("end", name);
  }

  stop(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    this.#child.stdin.end();
    return ended;
  }

  #ask<Result>(action: string, argument: unknown): Promise<Result> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise<Result>((resolve) => {
      this.#waiting.set(id, { resolve });
      this.#child.stdin.write(`${JSON.stringify({ id, action, argument })}\n`);
    });
  }
}
