// Compares sets, virtual servers and addresses of two desired states, the second of which was applied.
import type { ListChanges } from "../paged-list.ts";
import { claimedIn, entryKey, serverAt, serverKey } from "../state/ipvs-claims.ts";
import { serverWithout, shareWithout, withheldOf } from "../state/ipvs-withheld.ts";
import type { Fragment, IpvsShare, IpvsState, KernelState, Withheld } from "../state/kernel-state.ts";
import type { VirtualServer } from "../state/virtual-server.ts";
import type { EntryChanges, IpvsChanges } from "./ipvs-changes.ts";
import { diffServer, isSpared } from "./server-difference.ts";

/** Two wanted states, the second of which the kernel acknowledged. */
export interface HeldPair {
  readonly wanted: KernelState;
  readonly ipvs: Extract<IpvsState, { kind: "wanted" }>;
  readonly held: KernelState;
  readonly changed: ListChanges<Fragment>;
}

/** Only what changed is compared, and what others claim too stays. Both states do without the same things. */
export function diffHeld({ wanted, ipvs, held, changed }: HeldPair): IpvsChanges {
  const withheld = withheldOf(wanted);
  const come = changed.come.flatMap((fragment) => shareWithout(fragment, withheld) ?? []);
  const gone = changed.gone.flatMap((fragment) => shareWithout(fragment, withheld) ?? []);
  const servers = serversIn([...come, ...gone]).map((key) => ({
    before: serverIn(held, key, withheld),
    after: serverIn(wanted, key, withheld),
  }));
  const mend = () => true;
  const real = servers.flatMap(({ before, after }) =>
    after ? [diffServer({ wanted: after, actual: before, mend })] : [],
  );
  const addresses = newAndOld(addressesOf(come), addressesOf(gone), { wanted, held, keyOf: (address) => address });
  const [device = ""] = ipvs.devices;
  return {
    device,
    deviceMissing: false,
    create: [],
    resize: [],
    entries: entriesOf(ipvs, [come, gone], { wanted, held }),
    servers: real.flatMap(({ changes }) => changes),
    retire: real.flatMap(({ retire }) => retire),
    serversGo: servers.flatMap(({ before, after }) =>
      before && !after && !isSpared(before.address, ipvs) ? [before] : [],
    ),
    bind: addresses.come,
    unbind: addresses.go,
  };
}

function serversIn(shares: readonly IpvsShare[]): readonly string[] {
  return [...new Set(shares.flatMap(({ servers }) => servers.map(serverKey)))];
}

function serverIn({ fragments }: KernelState, key: string, withheld: Withheld): VirtualServer | undefined {
  const server = serverAt(fragments, key);
  return server && serverWithout(server, withheld);
}

function addressesOf(shares: readonly IpvsShare[]): readonly string[] {
  return shares.flatMap(({ addresses }) => addresses);
}

interface Between {
  readonly wanted: KernelState;
  readonly held: KernelState;
  /** As others claim it. */
  readonly keyOf: (thing: string) => string;
}

/** What nobody wanted before, and what nobody wants any more. */
function newAndOld(
  come: readonly string[],
  gone: readonly string[],
  { wanted, held, keyOf }: Between,
): { readonly come: readonly string[]; readonly go: readonly string[] } {
  const [after, before] = [new Set(come), new Set(gone)];
  const unclaimed = (things: ReadonlySet<string>, others: ReadonlySet<string>, { fragments }: KernelState) => {
    const single = [...things].filter((thing) => !others.has(thing));
    const claimed = claimedIn(fragments, single.map(keyOf));
    return single.filter((thing) => !claimed.has(keyOf(thing)));
  };
  return { come: unclaimed(after, before, held), go: unclaimed(before, after, wanted) };
}

function entriesOf(
  { sets }: HeldPair["ipvs"],
  [come, gone]: readonly [readonly IpvsShare[], readonly IpvsShare[]],
  states: Omit<Between, "keyOf">,
): readonly EntryChanges[] {
  const [after, before] = [bySet(come), bySet(gone)];
  return sets.map((set) => {
    const keyOf = (entry: string) => entryKey({ set: set.name, entry });
    return { set, ...newAndOld(after.get(set.name) ?? [], before.get(set.name) ?? [], { ...states, keyOf }) };
  });
}

function bySet(shares: readonly IpvsShare[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { entries } of shares) {
    for (const { set, entry } of entries) {
      const others = found.get(set);
      if (others) others.push(entry);
      else found.set(set, [entry]);
    }
  }
  return found;
}
