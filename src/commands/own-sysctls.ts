// Do the kernel settings that a mode needs hold, before its first rule?
import type { ServiceRecord } from "../api/objects.ts";
import type { Backend } from "../backends/backend.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { type WorldInput, worldOf } from "../model/world.ts";
import { pagedList } from "../paged-list.ts";
import { diffSysctls } from "../plan/sysctls.ts";
import type { Sysctl } from "../state/kernel-state.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import { FatalError } from "./failure.ts";

export interface OwnSysctls extends Pick<WorldInput, "options" | "nodeName"> {
  readonly backend: Backend;
  readonly kernel: Pick<Kernel, "sysctls" | "apply">;
  readonly facts: NodeFacts;
  readonly nodes: WorldInput["snapshot"]["nodes"];
}

/**
 * Writes those that differ, so that a daemon with fewer rights finds nothing left to write. Rejects with FatalError when
 * the kernel refuses one.
 */
export async function setOwnSysctls({ kernel, ...input }: OwnSysctls): Promise<void> {
  const wanted = wantedSysctls(input);
  const steps = diffSysctls(wanted, await kernel.sysctls(wanted.map(({ path }) => path)));
  const { refused } = await kernel.apply({ steps, kept: [] });
  if (refused) throw new FatalError(`unable to create proxier: ${refused.error.message}`);
}

/** Those of all families, for a node without Services. */
function wantedSysctls({ backend, facts, nodes, ...input }: Omit<OwnSysctls, "kernel">): readonly Sysctl[] {
  const snapshot = { services: pagedList<ServiceRecord>(), nodes, pods: new Map() };
  return facts.families.flatMap((family) => backend.desired(worldOf({ ...input, snapshot, facts, family })).sysctls);
}
