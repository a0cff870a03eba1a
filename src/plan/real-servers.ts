// Compares the real servers behind one virtual server.
import { realKey } from "../state/ipvs-claims.ts";
import type { Retirement, ServerChange } from "../state/server-change.ts";
import type { BusyServer, RealServer, VirtualServer } from "../state/virtual-server.ts";

/** A virtual server as it should be, and what is behind it. */
export interface RealServerPair {
  readonly wanted: VirtualServer;
  /** Observed ones tell their connections. */
  readonly actual: readonly (RealServer | BusyServer)[];
  /** Is a wanted one, found with another weight, to have its own again? Else the weight is an operator's. */
  readonly mend: (key: string) => boolean;
  /** Is the real server of this key left as it is because the kernel rejected a change of it? */
  readonly left?: (key: string) => boolean;
}

export interface RealServerChanges {
  readonly changes: readonly ServerChange[];
  readonly retire: readonly Retirement[];
  /** Weight 0 already, and connections that have not ended. */
  readonly draining: readonly Retirement[];
}

/**
 * What comes goes in first. One that goes and is asked for datagrams or SCTP goes at once, as in kube-proxy; one that
 * has TCP connections must let them end.
 */
export function diffRealServers({ wanted, actual, mend, left }: RealServerPair): RealServerChanges {
  if (areSame(wanted.realServers, actual)) return NOTHING;
  const server = wanted;
  const known = new Map(actual.map((real) => [realKey(server, real), real]));
  const keys = new Set(wanted.realServers.map((real) => realKey(server, real)));
  const come = wanted.realServers.flatMap((real): readonly ServerChange[] => {
    const key = realKey(server, real);
    if (left?.(key)) return [];
    const found = known.get(key);
    if (!found) return [{ kind: "add-real", server, real }];
    return found.weight !== real.weight && mend(key) ? [{ kind: "set-real", server, real }] : [];
  });
  const unwanted = actual.filter((real) => !keys.has(realKey(server, real)) && !left?.(realKey(server, real)));
  if (server.protocol !== "TCP") {
    const go = unwanted.map((real): ServerChange => ({ kind: "remove-real", server, real }));
    return { changes: [...come, ...go], retire: [], draining: [] };
  }
  const retirements = unwanted.map((real) => ({ server, real }));
  const draining = retirements.filter(({ real }) => real.weight === 0 && isBusy(real));
  return { changes: come, retire: retirements.filter((each) => !draining.includes(each)), draining };
}

const NOTHING: RealServerChanges = { changes: [], retire: [], draining: [] };

/** Seen at a glance for nearly all of thousands: the kernel tells them in the order in which they came, or its reverse. */
function areSame(wanted: readonly RealServer[], actual: readonly RealServer[]): boolean {
  const isSame = (a: RealServer, b: RealServer | undefined) =>
    a.address === b?.address && a.port === b.port && a.weight === b.weight;
  if (wanted.length !== actual.length) return false;
  return (
    wanted.every((real, index) => isSame(real, actual[index])) ||
    wanted.every((real, index) => isSame(real, actual.at(-1 - index)))
  );
}

function isBusy(real: RealServer | BusyServer): boolean {
  return "activeConnections" in real && real.activeConnections + real.inactiveConnections > 0;
}
