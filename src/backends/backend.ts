// What is a mode? A pure function from the world to what the kernel should hold.
import type { World } from "../model/world.ts";
import type { KernelState, Rule } from "../state/kernel-state.ts";

export interface Backend {
  readonly mode: "iptables" | "ipvs";
  /** All that the kernel should hold for this world. Fragments of ServicePorts that did not change are the same objects. */
  desired(world: World): KernelState;
  /** Every jump that this mode puts into a built-in chain and takes out again when its rules go. */
  readonly jumps: readonly Rule[];
}
