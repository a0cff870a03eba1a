// Differences in sets, virtual servers and addresses, line by line.

import { printAddresses } from "../state/address-text.ts";
import { printAdd, printHeader } from "../state/ipset-text.ts";
import { entryKey, serverKey } from "../state/ipvs-claims.ts";
import { wholeIpvs } from "../state/ipvs-whole.ts";
import { printServers } from "../state/ipvsadm-text.ts";
import type { IpvsState, KernelState } from "../state/kernel-state.ts";
import type { ServerIdentity, VirtualServer } from "../state/virtual-server.ts";
import type { Difference, Line } from "./difference.ts";
import { serviceOf } from "./difference.ts";
import { editsBetween } from "./edits.ts";
import { diffObserved, type ObservedDifference } from "./ipvs-observed.ts";
import { ownerOf } from "./owners.ts";

type Observed = Extract<IpvsState, { kind: "observed" }>;

interface View {
  readonly state: KernelState;
  readonly found: Observed;
  readonly difference: ObservedDifference;
  /** The ServicePort that wants a thing, or whose address it has. */
  readonly ownerOf: (key: string, address: string) => string | undefined;
}

/** Exactly what a plan would change. Nothing where the mode is another, and where nobody looked. */
export function compareIpvs(state: KernelState, actual: KernelState): readonly Difference[] {
  const [wanted, found] = [state.ipvs, actual.ipvs];
  if (wanted?.kind !== "wanted" || found?.kind !== "observed") return [];
  const difference = diffObserved({ state, wanted, found }, { initial: true, draining: new Set() });
  const view = { state, found, difference, ownerOf: ownersOf(state) };
  return [...setDifferences(view), ...serverDifferences(view), ...deviceDifferences(view)];
}

function ownersOf({ fragments }: KernelState): View["ownerOf"] {
  const things = new Map<string, string>();
  const addresses = new Map<string, string>();
  for (const fragment of fragments) {
    const owner = ownerOf(fragment);
    const share = fragment.ipvs();
    for (const entry of share?.entries ?? []) things.set(entryKey(entry), owner);
    for (const server of share?.servers ?? []) things.set(serverKey(server), owner);
    for (const address of share?.addresses ?? []) addresses.set(address, serviceOf(owner));
  }
  return (key, address) => things.get(key) ?? addresses.get(address);
}

function setDifferences({ state, found, difference, ownerOf }: View): readonly Difference[] {
  const sets = new Map([...found.sets, ...(found.otherSets ?? [])].map((set) => [set.name, set]));
  const remade = new Set([...difference.resize, ...difference.conflicts].map(({ set }) => set.name));
  const replaced = new Set(difference.conflicts.map(({ set }) => set.name));
  return difference.entries.flatMap(({ set, come, go }): readonly Difference[] => {
    const before = sets.get(set.name);
    const known = before && "entries" in before && !replaced.has(set.name) ? before.entries : undefined;
    const isRemade = remade.has(set.name);
    if (known && !isRemade && come.length + go.length === 0) return [];
    const lines = (entries: Iterable<string>) =>
      [...entries].sort().map((entry): Line => {
        const owner = ownerOf(entryKey({ set: set.name, entry }), entry.replace(/,.*$/, ""));
        return { text: printAdd(set.name, entry), owner };
      });
    const out = new Set(go);
    const after = [...[...(known ?? [])].filter((entry) => !out.has(entry)), ...come];
    const [oldHead, head] = [before, set].map((header): readonly Line[] =>
      header && (isRemade || !before) ? [{ text: printHeader(header) }] : [],
    );
    const edits = editsBetween([...(oldHead ?? []), ...lines(known ?? [])], [...(head ?? []), ...lines(after)]);
    const change = before ? "changed" : "new";
    return [{ family: state.family, place: { kind: "set", name: set.name }, change, edits }];
  });
}

function serverDifferences({ state, found, difference, ownerOf }: View): readonly Difference[] {
  const { servers, retire, draining, serversGo } = difference;
  const changed = new Set([...servers, ...retire].map(({ server }) => serverKey(server)));
  const before = new Map(found.servers.map((server) => [serverKey(server), server]));
  const of = (server: VirtualServer, change: Difference["change"], after: readonly VirtualServer[]): Difference => {
    const lines = (all: readonly VirtualServer[]) =>
      printServers(all).map((text): Line => ({ text, owner: ownerOf(serverKey(server), server.address) }));
    const known = before.get(serverKey(server));
    const edits = editsBetween(lines(known ? [known] : []), lines(after));
    return { family: state.family, place: { kind: "server", name: serverKey(server) }, change, edits };
  };
  const wanted = wholeIpvs(state).servers.filter((server) => changed.has(serverKey(server)));
  const going = new Set(serversGo.map(serverKey));
  const gone = found.servers.filter((server) => going.has(serverKey(server)));
  return [
    ...wanted.map((server) => {
      const drained = draining.filter((each) => isSame(each.server, server)).map(({ real }) => real);
      const after = { ...server, realServers: [...server.realServers, ...drained] };
      return of(server, before.has(serverKey(server)) ? "changed" : "new", [after]);
    }),
    ...gone.map((server) => of(server, "gone", [])),
  ];
}

function isSame(one: ServerIdentity, other: ServerIdentity): boolean {
  return serverKey(one) === serverKey(other);
}

function deviceDifferences({ state, found, difference, ownerOf }: View): readonly Difference[] {
  const { device, deviceMissing, bind, unbind } = difference;
  if (!deviceMissing && bind.length + unbind.length === 0) return [];
  const lines = (addresses: readonly string[]) =>
    addresses.toSorted().map((address): Line => {
      return { text: printAddresses([], [address]).join(), owner: ownerOf(address, address) };
    });
  const out = new Set(unbind);
  const after = [...found.addresses.filter((address) => !out.has(address)), ...bind];
  const head = deviceMissing ? printAddresses([device], []).map((text) => ({ text })) : [];
  const edits = editsBetween(lines(found.addresses), [...head, ...lines(after)]);
  return [
    { family: state.family, place: { kind: "device", name: device }, change: deviceMissing ? "new" : "changed", edits },
  ];
}
