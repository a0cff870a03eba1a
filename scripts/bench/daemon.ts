// Runs the built daemon, follows its log for completed syncs, and measures its memory and CPU time.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { monotonic } from "./clock.ts";
import { POD_RANGE } from "./cluster.ts";
import type { Layout } from "./subject.ts";
import { NODE_FACTS } from "./variant.ts";

/** The command of the image, with what it sets for memory's sake. */
const PROGRAM = fileURLToPath(new URL("../deploy/kube-proxy", import.meta.url));

/** What it says when a pass that changed something is over, and when: somebody who is busy hears it later. */
const COMPLETE = /^I(\d\d)(\d\d) ([\d:.]+) .*"SyncProxyRules complete".*ipFamily="IPv4".*elapsed="(\d+)ms"/;

/** The node that it takes itself for. */
export const NODE_NAME = "bench";

/** Milliseconds after which the garbage of a start has been collected. */
export const REST = 30_000;

/** Of a second, in which the kernel counts processor time. */
const TICKS = 100;

/** Milliseconds until a pass counts as never to come. */
const PATIENCE = 300_000;

/** Resident memory in MB: now, and the most there ever was. */
export interface Weight {
  readonly now: number;
  /** Now, where what several processes share counts only in part for each: the program's own text, and libraries. */
  readonly share: number;
  readonly peak: number;
}

/** A pass that changed something. Milliseconds. */
export interface Pass {
  /** When it was over, on the clock of `monotonic`. */
  readonly end: number;
  readonly elapsed: number;
}

/** The daemon as a node of a cluster starts it. It does not outlive this process. */
export class BenchDaemon {
  readonly #child: ChildProcessByStdio<null, null, Readable>;
  readonly #said: string[] = [];
  readonly #passes: Pass[] = [];
  #wake: () => void = () => {};

  /** `source`: the flags that say where objects come from. */
  constructor(source: readonly string[], layout: Layout) {
    const flags = ["run", ...source, "--hostname-override", NODE_NAME, "--cluster-cidr", POD_RANGE];
    flags.push("--iptables-layout", layout);
    // The size of conntrack's table is the machine's alone.
    flags.push("--conntrack-max-per-core=0", "--node-facts", NODE_FACTS);
    const args = ["--pdeathsig", "KILL", PROGRAM, ...flags];
    this.#child = spawn("setpriv", args, { stdio: ["ignore", "ignore", "pipe"] });
    createInterface({ input: this.#child.stderr }).on("line", (line) => this.#hear(line));
    this.#child.once("close", () => this.#wake());
  }

  /** Returns when so many passes changed the kernel in all. Rejects with its last words when that never happens. */
  async passed(times: number): Promise<void> {
    const limit = setTimeout(() => this.#child.kill("SIGKILL"), PATIENCE);
    while (this.#passes.length < times) {
      if (this.#child.exitCode !== null || this.#child.killed) throw new Error(this.#said.slice(-10).join("\n"));
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    clearTimeout(limit);
  }

  /** Those that changed something, so far. */
  get passes(): readonly Pass[] {
    return this.#passes;
  }

  /** Milliseconds of processor time so far, without those of the programs that it started. */
  worked(): number {
    return this.cpu().own;
  }

  cpu(): CpuTime {
    return cpuTimeOf(this.#child.pid ?? 0);
  }

  weigh(): Weight {
    return weigh(this.#child.pid ?? 0);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("close", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }

  #hear(line: string): void {
    this.#said.push(line);
    const complete = COMPLETE.exec(line);
    if (complete) {
      const [, month, day, time, elapsed] = complete;
      const ago = Date.now() - Date.parse(`${new Date().getFullYear()}-${month}-${day}T${time}`);
      this.#passes.push({ end: monotonic() - ago, elapsed: Number(elapsed) });
    }
    this.#wake();
  }
}

/** The memory of a process that does nothing but exist: what Node itself takes. */
export async function weighBareNode(): Promise<Weight> {
  const child = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1000)"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const weight = weigh(child.pid ?? 0);
  child.kill("SIGKILL");
  return weight;
}

/** CPU time of a process: its own, and that of its children that have ended. Milliseconds. */
export interface CpuTime {
  readonly own: number;
  readonly children: number;
}

/** Reads utime, stime, cutime and cstime of `/proc/PID/stat`, which have a resolution of 10 ms. */
export function cpuTimeOf(pid: number): CpuTime {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const milliseconds = (first: number) => ((Number(fields[first]) + Number(fields[first + 1])) * 1000) / TICKS;
  return { own: milliseconds(11), children: milliseconds(13) };
}

/** Resident memory of a process, from `/proc/PID/status` and `/proc/PID/smaps_rollup`. */
export function weigh(pid: number): Weight {
  const text = ["status", "smaps_rollup"].map((file) => readFileSync(`/proc/${pid}/${file}`, "utf8")).join("");
  const megabytes = (field: string) =>
    (Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1]) * 1024) / 1e6;
  return { now: megabytes("VmRSS"), share: megabytes("Pss"), peak: megabytes("VmHWM") };
}
