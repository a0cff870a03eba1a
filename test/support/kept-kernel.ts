// How does a test drive a keeper along a changing cluster, without the daemon's timing?
import type { Snapshot } from "../../src/api/objects.ts";
import type { Kernel } from "../../src/kernel/kernel.ts";
import { type KnownWorld, worldOf } from "../../src/model/world.ts";
import type { Family } from "../../src/net/family.ts";
import type { Step } from "../../src/plan/plan.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import { Keeper } from "../../src/sync/keeper.ts";
import { createLog } from "../../src/sync/log.ts";
import { buildFacts, buildOptions } from "./build.ts";
import { HandClock } from "./clock.ts";
import { BACKEND } from "./templates.ts";

const OPTIONS = buildOptions({ localhostNodePorts: false, clusterCIDRs: ["10.1.0.0/16", "fd00:1::/64"] });

/** Milliseconds; the kernel is looked at no more often than this. */
export const SYNC_PERIOD = 30_000;

/** What a keeper is to be tried on. */
export interface Subject {
  readonly family: Family;
  readonly kernel: Kernel;
  readonly variant: "nft" | "legacy";
}

/** A keeper, its clock, and the World that it is given from one step to the next. */
export class KeptKernel {
  readonly clock = new HandClock();
  /** What the keeper logged. */
  readonly lines: string[] = [];
  readonly keeper: Keeper;
  readonly #family: Family;
  #world: KnownWorld | undefined;

  constructor({ family, kernel, variant }: Subject) {
    const log = createLog("text", (line) => this.lines.push(line))("keeper.ts");
    this.#family = family;
    const input = { clock: this.clock, log, family, syncPeriod: SYNC_PERIOD };
    this.keeper = new Keeper({ kernel, backend: BACKEND, variant }, input);
  }

  /** Keeps the kernel as the cluster wants it; what was worked out before is used again. */
  keep(snapshot: Snapshot): Promise<Step | undefined> {
    const previous = this.#world && { previous: this.#world };
    this.#world = worldOf({ ...inputOf(snapshot, this.#family), ...previous });
    return this.keeper.keep(BACKEND.desired(this.#world));
  }
}

/** The same worked out from nothing, as if no step had gone before. */
export function fromScratch(snapshot: Snapshot, family: Family): KernelState {
  return BACKEND.desired(worldOf(inputOf(snapshot, family)));
}

function inputOf(snapshot: Snapshot, family: Family) {
  return { snapshot, nodeName: "n1", options: OPTIONS, facts: buildFacts(), family };
}
