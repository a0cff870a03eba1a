// Drives a reconciler along a changing cluster, without the daemon's timing.
import type { Snapshot } from "../../src/api/objects.ts";
import type { Backend } from "../../src/backends/backend.ts";
import type { Kernel } from "../../src/kernel/kernel.ts";
import { type KnownWorld, worldOf } from "../../src/model/world.ts";
import type { Family } from "../../src/net/family.ts";
import type { Step } from "../../src/plan/plan.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { Keeper, type Kept, refusalIn } from "../../src/sync/keeper.ts";
import { createLog } from "../../src/sync/log.ts";
import { PassLog } from "../../src/sync/pass-log.ts";
import { buildFacts, buildOptions } from "./build.ts";
import { HandClock } from "./clock.ts";
import { BACKEND, INDEXED_BACKEND, IPVS_BACKEND } from "./templates.ts";

/** A mode; with its own name the layout of iptables mode that has one. */
type Mode = Backend["mode"] | "Indexed";

/** Settings of a kernel are not kept in this process: they would be those of the machine that runs the test. */
export const SETTLED_IPVS_BACKEND: Backend = {
  ...IPVS_BACKEND,
  desired: (world) => ({ ...IPVS_BACKEND.desired(world), sysctls: [] }),
};

const BACKENDS: Readonly<Record<Mode, Backend>> = {
  iptables: BACKEND,
  Indexed: INDEXED_BACKEND,
  ipvs: SETTLED_IPVS_BACKEND,
};

const CLUSTER_CIDRS = ["10.1.0.0/16", "fd00:1::/64"];

const IPTABLES_OPTIONS = buildOptions({ localhostNodePorts: false, clusterCIDRs: CLUSTER_CIDRS });

const OPTIONS = {
  iptables: IPTABLES_OPTIONS,
  Indexed: IPTABLES_OPTIONS,
  ipvs: buildOptions({ mode: "ipvs", clusterCIDRs: CLUSTER_CIDRS }),
};

/** Milliseconds; the kernel is looked at no more often than this. */
export const SYNC_PERIOD = 30_000;

/** What a keeper is to be tried on. */
export interface Subject {
  readonly family: Family;
  readonly kernel: Kernel;
  readonly variant: "nft" | "legacy";
  /** `iptables` unless said. */
  readonly mode?: Mode;
}

/** A keeper, its clock, and the World that it is given from one step to the next. */
export class KeptKernel {
  readonly clock = new HandClock();
  /** What the log said. */
  readonly lines: string[] = [];
  readonly keeper: Keeper;
  readonly #family: Family;
  readonly #mode: Mode;
  readonly #backend: Backend;
  readonly #passLog: PassLog;
  #world: KnownWorld | undefined;
  /** How it went last. */
  last: Kept | undefined;

  constructor({ family, kernel, variant, mode = "iptables" }: Subject) {
    const log = createLog("text", (line) => this.lines.push(line))("pass.ts");
    this.#family = family;
    this.#mode = mode;
    this.#backend = BACKENDS[mode];
    this.keeper = new Keeper(
      { kernel, backend: this.#backend, variant },
      { clock: this.clock, syncPeriod: SYNC_PERIOD },
    );
    this.#passLog = new PassLog({ family, mode: this.#backend.mode, clock: this.clock, log });
  }

  /** Verifies the kernel when that is due, then brings it to what the cluster wants. */
  async keep(snapshot: Snapshot): Promise<Step | undefined> {
    await this.keeper.verify();
    const previous = this.#world && { previous: this.#world };
    this.#world = worldOf({ ...inputOf(snapshot, this.#family, this.#mode), ...previous });
    const kept = await this.keeper.keep(this.#backend.desired(this.#world));
    this.last = kept;
    this.#passLog.end(kept);
    return refusalIn(kept)?.step;
  }
}

/** The same worked out from nothing, as if no step had gone before. */
export function fromScratch(snapshot: Snapshot, family: Family, mode: Mode = "iptables"): KernelState {
  return BACKENDS[mode].desired(worldOf(inputOf(snapshot, family, mode)));
}

function inputOf(snapshot: Snapshot, family: Family, mode: Mode) {
  return { snapshot, nodeName: "n1", options: OPTIONS[mode], facts: buildFacts(), family };
}
