// Follows a source of objects and keeps the kernel in the state that they ask for.
import { KINDS } from "../api/object-name.ts";
import type { Backend } from "../backends/backend.ts";
import type { Place } from "../errors.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { Options } from "../options/options.ts";
import type { Batch, Source } from "../source/source.ts";
import { Tracker } from "../source/tracker.ts";
import type { NodeFacts } from "../state/node-facts.ts";
import { ChangeCounts } from "../sync/change-counts.ts";
import { FamilyLoop } from "../sync/family-loop.ts";
import { IpvsDriftCheck } from "../sync/ipvs-drift.ts";
import type { Fields, Log } from "../sync/log.ts";
import { type Observer, together } from "../sync/observer.ts";
import type { Clock } from "../sync/schedule.ts";

export interface RunInput {
  readonly source: Source;
  readonly options: Options;
  readonly nodeName: string;
  readonly backend: Backend;
  readonly kernel: Kernel;
  readonly facts: NodeFacts;
  readonly clock: Clock;
  readonly log: (at: string) => Log;
  readonly observer?: Observer;
}

/**
 * Follows the source and keeps the kernel as it says, until the source ends; rejects when it fails. Rules are left in
 * place on every way out.
 */
export async function run(input: RunInput): Promise<void> {
  const { source, options, nodeName, backend, kernel, facts, clock } = input;
  const log = input.log("run.ts");
  log.info({ mode: backend.mode, node: nodeName, families: facts.families.join(",") }, "Starting");
  const counts = new ChangeCounts(input.observer ?? together([]));
  const { observer } = counts;
  const shared = { nodeName, options, facts, backend, kernel, clock, log: input.log, observer, since: Date.now() };
  const loops = facts.families.map((family) => new FamilyLoop({ ...shared, family }));
  const drift = backend.mode === "ipvs" ? new IpvsDriftCheck({ kernel, clock, loops, log }) : undefined;
  const tracker = new Tracker(["Service", "EndpointSlice"]);
  try {
    for await (const batch of source) {
      report(batch, log);
      counts.note(batch.changes);
      tracker.apply(batch.changes);
      const snapshot = tracker.snapshot();
      if (!snapshot) continue;
      for (const loop of loops) loop.update(snapshot, batch.changes);
      counts.settle();
    }
  } finally {
    drift?.stop();
    await Promise.all(loops.map((loop) => loop.stop()));
  }
  log.info({}, "Stopped; rules stay in place");
}

/** Logs what is wrong with the input, and what of it is not used. */
export function report({ problems, passedOver }: Pick<Batch, "problems" | "passedOver">, log: Log): void {
  for (const { place, message } of problems) log.error({ ...nameOf(place), err: message }, "Ignoring invalid input");
  for (const { place, reason } of passedOver) log.info({ ...nameOf(place), reason }, "Skipping unused input");
}

/** The object as kube-proxy names it: `service="shop/cart"`, `endpointSlice="shop/cart-x7"`, `node="worker-a"`. */
function nameOf({ object }: Place): Fields {
  if (object === undefined) return {};
  const [kind, name] = object.split(" ");
  const known = KINDS.find((each) => each === kind);
  return known === undefined ? { object } : { [known.charAt(0).toLowerCase() + known.slice(1)]: name };
}
