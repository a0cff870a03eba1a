// Did an earlier run in IPVS mode leave anything that iptables mode must get rid of?
import { findSets } from "../kernel/ipset.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { findDevice } from "../kernel/link.ts";
import { unlessRefused } from "../kernel/refused.ts";
import type { Family } from "../net/family.ts";
import { IpvsRetreat } from "../sync/ipvs-retreat.ts";
import type { Log } from "../sync/log.ts";
import { type Observer, together } from "../sync/observer.ts";
import { systemClock } from "../sync/schedule.ts";
import { setNamesOf } from "./ipvs-leftovers.ts";

export interface LeaveIpvs {
  readonly kernel: Kernel;
  /** Those that are served. */
  readonly families: readonly Family[];
  readonly log: Log;
}

/** What takes it away, to be told of passes in iptables mode. */
export interface Leaving {
  readonly observer: Observer;
  stop(): Promise<void>;
}

export const NOTHING_LEFT: Leaving = { observer: together([]), stop: async () => {} };

/** Does nothing where there is nothing, or nobody may look. */
export async function leaveIpvs({ kernel, families, log }: LeaveIpvs): Promise<Leaving> {
  const sets = new Map(families.map((family) => [family, setNamesOf(family)]));
  const device = await unlessRefused(findDevice(), undefined);
  const found = await unlessRefused(findSets([...sets.values()].flat()), []);
  if (!device && found.length === 0) return NOTHING_LEFT;
  log.info(
    { interface: device !== undefined, sets: found.length },
    "IPVS mode has left things that go once rules are in",
  );
  const retreat = new IpvsRetreat({ kernel, sets, clock: systemClock, log });
  const passed: Observer["passed"] = (family, { failure }) => failure === undefined && retreat.served(family);
  return { observer: { ...together([]), passed }, stop: () => retreat.stop() };
}
