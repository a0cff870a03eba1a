// How does what was found in sets, in IPVS and on its interface differ from what is wanted?
import { cidrContains } from "../net/cidr.ts";
import { serverKey } from "../state/ipvs-claims.ts";
import { wholeIpvs } from "../state/ipvs-whole.ts";
import type { IpvsState, KernelState } from "../state/kernel-state.ts";
import type { ServerSettings } from "../state/server-change.ts";
import type { ObservedServer, VirtualServer } from "../state/virtual-server.ts";
import type { EntryChanges, IpvsChanges } from "./ipvs-changes.ts";
import { diffRealServers, type RealServerChanges } from "./real-servers.ts";

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
  const unwanted = new Map(found.servers.map((server) => [serverKey(server), server]));
  const real = whole.servers.map((server) => {
    const key = serverKey(server);
    const there = unwanted.get(key);
    unwanted.delete(key);
    return diffServer(server, there, weights);
  });
  const isSpared = (address: string) => wanted.spared.some((range) => cidrContains(range, address));
  const sets = new Map(found.sets.map((set) => [set.name, set.entries]));
  const [device = ""] = wanted.devices;
  const bound = new Set(found.addresses);
  const addresses = new Set(whole.addresses);
  return {
    device,
    deviceMissing: !found.devices.includes(device),
    create: wanted.sets.filter(({ name }) => !sets.has(name)),
    entries: whole.sets.map(({ entries, ...set }) => diffEntries(set, entries, sets.get(set.name) ?? new Set())),
    servers: real.flatMap(({ changes }) => changes),
    retire: real.flatMap(({ retire }) => retire),
    draining: real.flatMap(({ draining }) => draining),
    serversGo: [...unwanted.values()].filter(({ address }) => !isSpared(address)),
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

function diffServer(wanted: VirtualServer, found: ObservedServer | undefined, weights: Weights): RealServerChanges {
  const mend = (key: string) => weights.initial || weights.draining.has(key);
  const { changes, ...rest } = diffRealServers({ wanted, actual: found?.realServers ?? [], mend });
  const own = settingsChange(wanted, found);
  return { changes: own ? [own, ...changes] : changes, ...rest };
}

/** How the virtual server itself comes to be as wanted; undefined where it is. */
export function settingsChange(wanted: VirtualServer, actual: ServerSettings | undefined) {
  const { realServers: _, ...server } = wanted;
  if (!actual) return { kind: "add-server", server } as const;
  return sameSettings(server, actual) ? undefined : ({ kind: "set-server", server } as const);
}

function sameSettings(a: ServerSettings, b: ServerSettings): boolean {
  return (
    a.scheduler === b.scheduler &&
    a.schedulerFlags === b.schedulerFlags &&
    a.persistence === b.persistence &&
    (a.otherFlags ?? 0) === (b.otherFlags ?? 0)
  );
}
