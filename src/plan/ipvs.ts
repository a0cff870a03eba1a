// Plans the changes of sets, virtual servers and addresses.
import type { ListChanges } from "../paged-list.ts";
import { realKey, serverAt, serverKey } from "../state/ipvs-claims.ts";
import type { Fragment, KernelState } from "../state/kernel-state.ts";
import type { Retirement } from "../state/server-change.ts";
import { type IpvsSteps, stepsOf } from "./ipvs-changes.ts";
import { diffHeld } from "./ipvs-held.ts";
import { diffObserved, type Weights } from "./ipvs-observed.ts";
import type { IpvsStep, SetConflict } from "./plan.ts";

/** What it depends on beside the two states. */
export interface IpvsCircumstances extends Weights {
  /** Real servers that drain, and are to be looked at again now: where everything is looked at, they are found anyway. */
  readonly due: readonly Retirement[];
}

export interface IpvsDifference extends IpvsSteps {
  /** Found with weight 0 and connections. */
  readonly draining: readonly Retirement[];
  readonly conflicts: readonly SetConflict[];
}

const NOTHING: IpvsDifference = { early: [], late: [], draining: [], conflicts: [] };

/** Nothing where the mode is another. */
export function diffIpvs(
  wanted: KernelState,
  actual: KernelState,
  changed: ListChanges<Fragment>,
  circumstances: IpvsCircumstances,
): IpvsDifference {
  if (wanted.ipvs?.kind !== "wanted" || !actual.ipvs) return NOTHING;
  if (actual.ipvs.kind === "wanted") {
    const { early, late } = stepsOf(diffHeld({ wanted, ipvs: wanted.ipvs, held: actual, changed }));
    return { early: [...early, ...lookAgain(stillToGo(wanted, circumstances.due))], late, draining: [], conflicts: [] };
  }
  const found = diffObserved({ state: wanted, wanted: wanted.ipvs, found: actual.ipvs }, circumstances);
  const isKnown = ({ server, real }: Retirement) =>
    real.weight === 0 && circumstances.draining.has(realKey(server, real));
  const { early, late } = stepsOf({ ...found, retire: found.retire.filter((each) => !isKnown(each)) });
  return {
    early: [...early, ...lookAgain(found.retire.filter(isKnown))],
    late,
    draining: found.draining,
    conflicts: found.conflicts,
  };
}

/** Those that are wanted again have their weight again, and those of a virtual server that goes go with it. */
function stillToGo({ fragments }: KernelState, due: readonly Retirement[]): readonly Retirement[] {
  return due.filter(({ server, real }) => {
    const wanted = serverAt(fragments, serverKey(server));
    return wanted && !wanted.realServers.some((each) => realKey(server, each) === realKey(server, real));
  });
}

function lookAgain(reals: readonly Retirement[]): readonly IpvsStep[] {
  return reals.length === 0 ? [] : [{ kind: "retire", reals, again: true }];
}
