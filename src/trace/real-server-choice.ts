// Which real server does IPVS choose for a new connection?
import type { RealServer, VirtualServer } from "../state/virtual-server.ts";
import { ALWAYS, type Fraction, fraction } from "./fraction.ts";

export interface Choice {
  readonly server: RealServer;
  /** Where something other than turns decides, an equal share holds its place. */
  readonly share: Fraction;
  readonly possible: boolean;
}

/**
 * All that take new connections, which one of weight 0 does not. `rr` gives them in turn and `wrr` by their weights;
 * `fo` takes the one with the greatest weight; with every other scheduler connections that are open, or a hash of
 * addresses, decide.
 */
export function chooseRealServer({ scheduler, realServers }: VirtualServer): readonly Choice[] {
  const all = realServers.filter(({ weight }) => weight > 0);
  const one = scheduler === "fo" ? heaviest(all) : all;
  if (one.length <= 1) return one.map((server) => ({ server, share: ALWAYS, possible: false }));
  const sum = one.reduce((total, { weight }) => total + weight, 0);
  return one.map((server) => ({
    server,
    share: scheduler === "wrr" ? fraction(server.weight, sum) : fraction(1, one.length),
    possible: scheduler !== "rr" && scheduler !== "wrr",
  }));
}

/** Of several with the same weight the order in the kernel decides, which is not to be seen from outside. */
function heaviest(servers: readonly RealServer[]): readonly RealServer[] {
  const most = Math.max(...servers.map(({ weight }) => weight));
  return servers.filter(({ weight }) => weight === most);
}
