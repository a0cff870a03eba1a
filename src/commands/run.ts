// What does the daemon do from start to stop?
import { hostname } from "node:os";
import type { Backend } from "../backends/backend.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { nodeNameOf } from "../options/complete.ts";
import type { Options } from "../options/options.ts";
import type { Batch, Source } from "../source/source.ts";
import { Tracker } from "../source/tracker.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import { FamilyLoop } from "../sync/family-loop.ts";
import type { Log } from "../sync/log.ts";
import type { Clock } from "../sync/schedule.ts";

export interface RunInput {
  readonly source: Source;
  readonly options: Options;
  readonly backend: Backend;
  readonly kernel: Kernel;
  readonly facts: NodeFacts;
  readonly clock: Clock;
  readonly log: (at: string) => Log;
}

/**
 * Follows the source and keeps the kernel as it says, until the source ends. Rejects with an Error when no family works
 * on this machine. Rules are left in place on every way out.
 */
export async function run(input: RunInput): Promise<void> {
  const { source, options, backend, kernel, facts, clock } = input;
  const log = input.log("run.ts");
  if (facts.families.length === 0) throw new Error("iptables is not available on this host");
  const nodeName = nodeNameOf(options.hostnameOverride, hostname());
  log.info({ mode: backend.mode, node: nodeName, families: facts.families.join(",") }, "Starting");
  const shared = { nodeName, options, facts, backend, kernel, clock, log: input.log("family-loop.ts") };
  const loops = facts.families.map((family) => new FamilyLoop({ ...shared, family }));
  const tracker = new Tracker(["Service", "EndpointSlice"]);
  for await (const batch of source) {
    report(batch, log);
    tracker.apply(batch.changes);
    const snapshot = tracker.snapshot();
    if (snapshot) for (const loop of loops) loop.update(snapshot);
  }
  await Promise.all(loops.map((loop) => loop.stop()));
  log.info({}, "Stopped; rules stay in place");
}

function report({ problems, passedOver }: Batch, log: Log): void {
  for (const problem of problems) log.error({ err: problem.message }, "Input left out");
  for (const { reason } of passedOver) log.info({ reason }, "Input passed over");
}
