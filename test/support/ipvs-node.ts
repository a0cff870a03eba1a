// A node of the scenarios: its interfaces, two pods that answer, and the loop of the daemon with a clock moved by hand.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import type { ServiceRecord } from "../../src/api/objects.ts";
import type { Backend } from "../../src/backends/backend.ts";
import { runCommand } from "../../src/kernel/command.ts";
import { type Kernel, machine } from "../../src/kernel/kernel.ts";
import type { Family } from "../../src/net/family.ts";
import { FamilyLoop, type LoopOptions } from "../../src/sync/family-loop.ts";
import { createLog } from "../../src/sync/log.ts";
import type { PassReport } from "../../src/sync/observer.ts";
import { buildNode, buildOptions, buildSnapshot } from "./build.ts";
import { HandClock } from "./clock.ts";
import { Observed } from "./observed.ts";
import { PLAIN_NODE } from "./program.ts";
import { IPVS_BACKEND } from "./templates.ts";

/** Milliseconds after which everything is looked at; a number that no other wait has. */
export const SYNC_PERIOD = 30_001;

const ECHO = fileURLToPath(new URL("echo.mjs", import.meta.url));

/** Pods of this node, and the ports at which they answer. */
export const PODS = { here: "10.71.1.5", elsewhere: "10.71.2.6" } as const;
export const POD_PORT = 8080;

/** Gives this process's network namespace the interfaces of the scenarios, and the pods one of their own. */
export async function makeNode(): Promise<{ end(): Promise<void> }> {
  const lines = [
    "link add eth0 type dummy",
    "addr add 192.0.2.10/24 dev eth0",
    "link set eth0 up",
    "link add cni0 type veth peer name eth0 netns pods",
    "addr add 10.71.1.1/16 dev cni0",
    "link set cni0 up",
  ];
  await execa("ip", ["netns", "add", "pods"]);
  await execa("ip", ["-batch", "-"], { input: lines.join("\n") });
  const addresses = Object.values(PODS);
  const inside = [...addresses.map((address) => `addr add ${address}/16 dev eth0`), "link set eth0 up"];
  await execa("ip", ["-n", "pods", "-batch", "-"], { input: inside.join("\n") });
  const args = ["--net=/run/netns/pods", ...PLAIN_NODE, ECHO, ...addresses, String(POD_PORT)];
  const pods: ChildProcessByStdio<Writable, Readable, null> = spawn("nsenter", args, {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(pods.stdout, "data");
  return {
    end: async () => {
      pods.stdin.end();
      await once(pods, "close");
      await execa("ip", ["netns", "del", "pods"]);
    },
  };
}

/** Knows whether a sync is under way: it ends when the schedule waits for the next one. */
class SyncClock extends HandClock {
  readonly #observed: Observed;
  /** Syncs that had ended when the present one began; undefined between syncs. */
  #before: number | undefined;

  constructor(observed: Observed) {
    super();
    this.#observed = observed;
  }

  get syncing(): boolean {
    return this.#before !== undefined;
  }

  begin(): void {
    this.#before ??= this.#observed.reports.length;
  }

  /** After a failed sync the first wait is the schedule's, for a retry. */
  override after(delay: number, callback: () => void): () => void {
    const { reports } = this.#observed;
    const failed = reports.length > (this.#before ?? 0) && reports.at(-1)?.failure !== undefined;
    if (delay === SYNC_PERIOD || failed) this.#before = undefined;
    return super.after(delay, callback);
  }
}

type NodeOptions = Partial<LoopOptions> & { readonly family?: Family; readonly backend?: Backend };

/** The daemon's loop over the real kernel, in IPVS mode unless another backend is given. */
export class IpvsNode {
  readonly lines: string[] = [];
  readonly #observed = new Observed();
  readonly #clock = new SyncClock(this.#observed);
  readonly #loop: FamilyLoop;
  #underWay = 0;

  constructor({ family = "IPv4", backend = IPVS_BACKEND, ...options }: NodeOptions = {}) {
    const kernel = machine(runCommand);
    const addresses: Kernel["addresses"] = (of) => {
      this.#clock.begin();
      return kernel.addresses(of);
    };
    this.#loop = new FamilyLoop({
      family,
      nodeName: "n1",
      options: {
        ...buildOptions({ mode: backend.mode, clusterCIDRs: ["10.71.0.0/16"] }),
        syncPeriod: SYNC_PERIOD,
        minSyncPeriod: 0,
        ...options,
      },
      facts: {
        addresses: [],
        iptablesVersion: "1.8.9",
        iptablesVariant: "nft",
        kernelVersion: "6.1",
        cpus: 1,
        counters: { invalidDropped: false, localhostNodePorts: false },
        tcpBeLiberal: false,
        families: [family],
      },
      backend,
      kernel: {
        ...kernel,
        addresses,
        observeInBackground: this.#awaited(kernel.observeInBackground),
        moved: this.#awaited(kernel.moved),
        chainsMoved: this.#awaited(kernel.chainsMoved),
        ipvsMoved: this.#awaited(kernel.ipvsMoved),
      },
      clock: this.#clock,
      log: createLog("text", (line) => this.lines.push(line)),
      observer: this.#observed,
      since: 0,
    });
  }

  /** A call of the background verification, which time waits for. */
  #awaited<Args extends readonly unknown[], Result>(call: (...args: Args) => Promise<Result>) {
    return async (...args: Args): Promise<Result> => {
      this.#underWay++;
      try {
        return await call(...args);
      } finally {
        this.#underWay--;
      }
    };
  }

  /** These Services and no others are there now; resolves when the kernel holds them. */
  async show(...records: readonly ServiceRecord[]): Promise<PassReport> {
    this.#loop.update(buildSnapshot(records, [buildNode({ name: "n1", addresses: ["192.0.2.10", "fd00:2::10"] })]));
    await this.later(0);
    return this.lastReport;
  }

  /** So many milliseconds later, with all that happens until then. */
  async later(milliseconds: number): Promise<PassReport> {
    const end = this.#clock.now() + milliseconds;
    for (;;) {
      const next = this.#clock.next() ?? Number.POSITIVE_INFINITY;
      if (this.#clock.now() + next > end) break;
      await this.#clock.advance(next);
      do await sleep(2);
      while (this.#clock.syncing || this.#underWay > 0);
    }
    await this.#clock.advance(end - this.#clock.now());
    return this.lastReport;
  }

  /** Everything is looked at, as in each sync period. */
  look(): Promise<PassReport> {
    return this.later(SYNC_PERIOD);
  }

  get passes(): number {
    return this.#observed.reports.length;
  }

  get lastReport(): PassReport {
    const report = this.#observed.reports.at(-1);
    if (!report) throw new Error("no pass yet");
    return report;
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
