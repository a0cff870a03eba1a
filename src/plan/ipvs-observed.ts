// How does what was found in sets, in IPVS and on its interface differ from what is wanted?
import { cidrContains } from "../net/cidr.ts";
import { serverKey } from "../state/ipvs-claims.ts";
import { wholeIpvs } from "../state/ipvs-whole.ts";
import type { IpvsState, KernelState } from "../state/kernel-state.ts";
import type { EntryChanges, IpvsChanges } from "./ipvs-changes.ts";
import type { RealServerChanges } from "./real-servers.ts";
import { diffServer, isSpared } from "./server-difference.ts";

type Observed = Extract<IpvsState, { kind: "observed" }>;
type Wanted = Extract<IpvsState, { kind: "wanted" }>;

/** What a difference depends on beside the two states. */
export interface Weights {
  /** All weights are to be mended: so kube-proxy does at its start, and never again. */
  readonly initial: boolean;
  /** Keys of real servers whose weight we took away. */
  readonly draining: ReadonlySet<string>;
}

export interface ObservedDifference extends IpvsChanges {
  readonly draining: RealServerChanges["draining"];
}

/** A wanted state, and what was found. */
export interface ObservedPair {
  readonly state: KernelState;
  readonly wanted: Wanted;
  readonly found: Observed;
}

const LINK_LOCAL = "fe80::/10";

/** Everything is compared. Servers of others go, unless they are in a spared range. */
export function diffObserved({ state, wanted, found }: ObservedPair, weights: Weights): ObservedDifference {
  const whole = wholeIpvs(state);
  const mend = (key: string) => weights.initial || weights.draining.has(key);
  const unwanted = new Map(found.servers.map((server) => [serverKey(server), server]));
  const real = whole.servers.map((server) => {
    const key = serverKey(server);
    const there = unwanted.get(key);
    unwanted.delete(key);
    return diffServer({ wanted: server, actual: there, mend });
  });
  const sizes = new Map(wanted.sets.map(({ name, maxEntries }) => [name, maxEntries]));
  const alike = found.sets.filter(({ name, maxEntries }) => sizes.get(name) === maxEntries);
  const sets = new Map(alike.map((set) => [set.name, set.entries]));
  const [device] = wanted.devices;
  const bound = new Set(found.addresses);
  const addresses = new Set(whole.addresses);
  return {
    device: device ?? "",
    deviceMissing: device !== undefined && !found.devices.includes(device),
    create: wanted.sets.filter(({ name }) => !sets.has(name)),
    entries: whole.sets.map(({ entries, ...set }) => diffEntries(set, entries, sets.get(set.name) ?? new Set())),
    servers: real.flatMap(({ changes }) => changes),
    retire: real.flatMap(({ retire }) => retire),
    draining: real.flatMap(({ draining }) => draining),
    serversGo: [...unwanted.values()].filter(({ address }) => !isSpared(address, wanted)),
    bind: whole.addresses.filter((address) => !bound.has(address)),
    unbind: found.addresses.filter((address) => !addresses.has(address) && !cidrContains(LINK_LOCAL, address)),
  };
}

function diffEntries(set: EntryChanges["set"], wanted: ReadonlySet<string>, found: ReadonlySet<string>): EntryChanges {
  return {
    set,
    come: [...wanted].filter((entry) => !found.has(entry)),
    go: [...found].filter((entry) => !wanted.has(entry)),
  };
}
