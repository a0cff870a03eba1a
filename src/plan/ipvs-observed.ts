// Compares desired sets, virtual servers and addresses with observed ones.
import { cidrContains } from "../net/cidr.ts";
import { type IpSet, sameSize, setConflict } from "../state/ip-set.ts";
import { HASH } from "../state/ipset-text.ts";
import { entryKey, serverAt, serverKey } from "../state/ipvs-claims.ts";
import { wholeIpvs } from "../state/ipvs-whole.ts";
import { withheldOf } from "../state/ipvs-withheld.ts";
import type { IpvsState, KernelState } from "../state/kernel-state.ts";
import type { EntryChanges, IpvsChanges, Resize } from "./ipvs-changes.ts";
import type { SetConflict } from "./plan.ts";
import { diffRealServers, type RealServerChanges } from "./real-servers.ts";
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
  /** Sets that exist but cannot serve as the desired ones. */
  readonly conflicts: readonly SetConflict[];
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
  const { rejected } = withheldOf(state);
  const left = (key: string) => rejected.has(key);
  const unwanted = new Map(found.servers.map((server) => [serverKey(server), server]));
  const real = whole.servers.map((server) => {
    const key = serverKey(server);
    const there = unwanted.get(key);
    unwanted.delete(key);
    return diffServer({ wanted: server, actual: there, mend, left });
  });
  for (const [key, there] of unwanted) {
    if (!rejected.has(key)) continue;
    unwanted.delete(key);
    // A virtual server that cannot be changed still serves, with the endpoints of now.
    const desired = serverAt(state.fragments, key);
    if (desired) real.push(diffRealServers({ wanted: desired, actual: there.realServers, mend, left }));
  }
  const { sets, resize, conflicts } = matchSets(whole.sets, found);
  const [device] = wanted.devices;
  const bound = new Set(found.addresses);
  const addresses = new Set(whole.addresses);
  return {
    device: device ?? "",
    deviceMissing: device !== undefined && !found.devices.includes(device),
    create: wanted.sets.filter(({ name }) => !sets.has(name)),
    resize,
    conflicts,
    entries: whole.sets.map(({ entries, ...set }) =>
      diffEntries({ set, wanted: entries, found: sets.get(set.name), left }),
    ),
    servers: real.flatMap(({ changes }) => changes),
    retire: real.flatMap(({ retire }) => retire),
    draining: real.flatMap(({ draining }) => draining),
    serversGo: [...unwanted.values()].filter(({ address }) => !isSpared(address, wanted)),
    bind: whole.addresses.filter((address) => !bound.has(address)),
    unbind: found.addresses.filter((address) => isToUnbind(address, addresses) && !rejected.has(address)),
  };
}

interface MatchedSets {
  /** Entries by the name of the set, of sets that exist and can serve once they are resized. */
  readonly sets: ReadonlyMap<string, ReadonlySet<string>>;
  readonly resize: readonly Resize[];
  readonly conflicts: readonly SetConflict[];
}

function matchSets(wanted: readonly IpSet[], { sets: observed, otherSets = [] }: Observed): MatchedSets {
  const known = new Map([...observed, ...otherSets].map((set) => [set.name, set]));
  const sets = new Map<string, ReadonlySet<string>>();
  const resize: Resize[] = [];
  const conflicts: SetConflict[] = [];
  for (const { entries: desired, ...set } of wanted) {
    const found = known.get(set.name);
    const conflict = found && setConflict(set, found);
    if (conflict !== undefined) conflicts.push({ set, words: conflict });
    if (found === undefined || "options" in found || conflict !== undefined) continue;
    const entries = sameSize(set, found) ? found.entries : carriedOver({ ...set, entries: desired }, found);
    sets.set(set.name, entries);
    if (!sameSize(set, found)) resize.push({ set, entries });
  }
  return { sets, resize, conflicts };
}

/** What a set of another size has when it replaces the present one: all that that has, or the desired part of it. */
function carriedOver(wanted: IpSet, found: IpSet): ReadonlySet<string> {
  if (found.entries.size <= (wanted.maxEntries ?? HASH.maxEntries)) return found.entries;
  return new Set([...found.entries].filter((entry) => wanted.entries.has(entry)));
}

function isToUnbind(address: string, wanted: ReadonlySet<string>): boolean {
  return !wanted.has(address) && !cidrContains(LINK_LOCAL, address);
}

interface EntryPair {
  readonly set: EntryChanges["set"];
  readonly wanted: ReadonlySet<string>;
  readonly found: ReadonlySet<string> | undefined;
  /** Is the entry of this key left as it is? */
  readonly left: (key: string) => boolean;
}

function diffEntries({ set, wanted, found = new Set(), left }: EntryPair): EntryChanges {
  return {
    set,
    come: [...wanted].filter((entry) => !found.has(entry)),
    go: [...found].filter((entry) => !wanted.has(entry) && !left(entryKey({ set: set.name, entry }))),
  };
}
