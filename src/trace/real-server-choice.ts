// Which real server does IPVS choose for a new connection?
import type { RealServer, VirtualServer } from "../state/virtual-server.ts";
import { ALWAYS, type Fraction, fraction } from "./fraction.ts";

export interface Choice {
  /** Undefined: one that takes no new connections, so that the client is refused. */
  readonly server: RealServer | undefined;
  /** Where something other than turns decides, an equal share holds its place. */
  readonly share: Fraction;
  readonly possible: boolean;
}

/** Flag 1 of `sh` and `mh`: a client whose real server takes no new connections gets another one. */
const FALLBACK = 0x8;

/**
 * All that take new connections, which one of weight 0 does not. `rr` gives them in turn and `wrr` by their weights;
 * `fo` takes the one with the greatest weight; with every other scheduler connections that are open, or a hash of
 * addresses, decide. A hash may lead to one of weight 0.
 */
export function chooseRealServer(virtual: VirtualServer): readonly Choice[] {
  const { scheduler, realServers } = virtual;
  const all = realServers.filter(({ weight }) => weight > 0);
  const one = scheduler === "fo" ? heaviest(all) : all;
  const refuses = one.length === 0 || (refusesSome(virtual) && one.length < realServers.length);
  const choices = refuses ? [...one, undefined] : one;
  if (choices.length === 1) return choices.map((server) => ({ server, share: ALWAYS, possible: false }));
  const sum = one.reduce((total, { weight }) => total + weight, 0);
  return choices.map((server) => ({
    server,
    share: scheduler === "wrr" && server ? fraction(server.weight, sum) : fraction(1, choices.length),
    possible: scheduler !== "rr" && scheduler !== "wrr",
  }));
}

/** A hash of `mh` keeps the place of a real server that had another weight before, which is not to be seen from outside. */
function refusesSome({ scheduler, schedulerFlags }: VirtualServer): boolean {
  return scheduler === "dh" || ((scheduler === "sh" || scheduler === "mh") && (schedulerFlags & FALLBACK) === 0);
}

/** Of several with the same weight the order in the kernel decides, which is not to be seen from outside. */
function heaviest(servers: readonly RealServer[]): readonly RealServer[] {
  const most = Math.max(...servers.map(({ weight }) => weight));
  return servers.filter(({ weight }) => weight === most);
}
