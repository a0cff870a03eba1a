// What changes in sets, in IPVS and on its interface when some fragments do?
import type { ListChanges } from "../paged-list.ts";
import { entryKey, isClaimed, serverAt, serverKey } from "../state/ipvs-claims.ts";
import { serverWithout, shareWithout, type Withheld, withheldOf } from "../state/ipvs-withheld.ts";
import type { Fragment, IpvsShare, IpvsState, KernelState } from "../state/kernel-state.ts";
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
  const addresses = newAndOld(come, gone, { wanted, held, keysOf: (share) => share.addresses });
  const [device = ""] = ipvs.devices;
  return {
    device,
    deviceMissing: false,
    create: [],
    entries: entriesOf(ipvs, come, gone, { wanted, held }),
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

interface Between {
  readonly wanted: KernelState;
  readonly held: KernelState;
}

/** What nobody wanted before, and what nobody wants any more. */
function newAndOld(
  come: readonly IpvsShare[],
  gone: readonly IpvsShare[],
  { wanted, held, keysOf }: Between & { readonly keysOf: (share: IpvsShare) => readonly string[] },
): { readonly come: readonly string[]; readonly go: readonly string[] } {
  const [after, before] = [new Set(come.flatMap(keysOf)), new Set(gone.flatMap(keysOf))];
  return {
    come: [...after].filter((key) => !before.has(key) && !isClaimed(held.fragments, key)),
    go: [...before].filter((key) => !after.has(key) && !isClaimed(wanted.fragments, key)),
  };
}

function entriesOf(
  { sets }: HeldPair["ipvs"],
  come: readonly IpvsShare[],
  gone: readonly IpvsShare[],
  between: Between,
): readonly EntryChanges[] {
  const keysOf = ({ entries }: IpvsShare) => entries.map(entryKey);
  const keys = newAndOld(come, gone, { ...between, keysOf });
  // The name of a set has no blank in it, what stands behind it may.
  const of = (name: string, all: readonly string[]) =>
    all.filter((key) => key.startsWith(`${name} `)).map((key) => key.slice(name.length + 1));
  return sets.map((set) => ({ set, come: of(set.name, keys.come), go: of(set.name, keys.go) }));
}
