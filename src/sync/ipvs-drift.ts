// Checks every two seconds whether other software changed sets, virtual servers or the interface of IPVS mode.
import { KernelError, RuleSyntaxError } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { FamilyLoop } from "./family-loop.ts";
import type { Log } from "./log.ts";
import type { Clock } from "./schedule.ts";

/** Milliseconds between two checks. */
const CHECK_INTERVAL = 2_000;

export interface IpvsDriftInput {
  readonly kernel: Pick<Kernel, "ipvsMoved">;
  readonly clock: Clock;
  /** Of all IP families: the check does not tell in which one something changed. */
  readonly loops: readonly Pick<FamilyLoop, "observe" | "rulesMoved">[];
  readonly log: Log;
}

/** Runs until it is stopped. A check that fails is logged once, until one succeeds. */
export class IpvsDriftCheck {
  readonly #input: IpvsDriftInput;
  #cancel: () => void = () => {};
  #stopped = false;
  #failed = false;

  constructor(input: IpvsDriftInput) {
    this.#input = input;
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #wait(): void {
    this.#cancel = this.#input.clock.after(CHECK_INTERVAL, () => void this.#check());
  }

  async #check(): Promise<void> {
    for (const loop of await this.#moved()) if (!this.#stopped) loop.observe();
    if (!this.#stopped) this.#wait();
  }

  /** Loops whose part of the kernel may have changed. */
  async #moved(): Promise<readonly Pick<FamilyLoop, "observe">[]> {
    const { kernel, loops } = this.#input;
    try {
      const all = await kernel.ipvsMoved();
      const moved: Pick<FamilyLoop, "observe">[] = [];
      for (const loop of loops) if ((await loop.rulesMoved()) || all) moved.push(loop);
      this.#failed = false;
      return moved;
    } catch (error) {
      if (!(error instanceof KernelError || error instanceof RuleSyntaxError)) throw error;
      if (!this.#failed)
        this.#input.log.warn({ err: error.message }, "Cannot check IPVS for changes by other software");
      this.#failed = true;
      return [];
    }
  }
}
