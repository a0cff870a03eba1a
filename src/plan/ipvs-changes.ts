// Orders changes of sets, virtual servers and addresses into steps.
import { type SetHeader, scratchName } from "../state/ip-set.ts";
import type { Retirement, ServerChange } from "../state/server-change.ts";
import type { SetChange } from "../state/set-change.ts";
import type { ServerIdentity } from "../state/virtual-server.ts";
import type { IpvsStep } from "./plan.ts";

/** Entries of one set. */
export interface EntryChanges {
  readonly set: SetHeader;
  readonly come: readonly string[];
  readonly go: readonly string[];
}

/** A set that exists with another size, and the entries that it has when its replacement takes its name. */
export interface Resize {
  readonly set: SetHeader;
  readonly entries: ReadonlySet<string>;
}

/** All that differs beside tables. */
export interface IpvsChanges {
  /** The interface that has the addresses; empty in a mode that has sets alone. */
  readonly device: string;
  /** It is not there. */
  readonly deviceMissing: boolean;
  readonly create: readonly SetHeader[];
  readonly resize: readonly Resize[];
  readonly entries: readonly EntryChanges[];
  /** Virtual servers that come or change, and their real servers, those that go at once too. */
  readonly servers: readonly ServerChange[];
  readonly retire: readonly Retirement[];
  readonly serversGo: readonly ServerIdentity[];
  readonly bind: readonly string[];
  readonly unbind: readonly string[];
}

/** Steps before the rules, which refer to sets, and behind them. */
export interface IpvsSteps {
  readonly early: readonly IpvsStep[];
  readonly late: readonly IpvsStep[];
}

/**
 * A virtual server is there before its address, so that no packet to it meets the node's own programs, and an address
 * goes before its virtual servers for the same reason; that is kube-proxy's order too. Where rules alone lead to
 * endpoints, an entry stays until none leads to its endpoint any more.
 */
export function stepsOf(changes: IpvsChanges): IpvsSteps {
  const { device, deviceMissing, create, resize, servers, retire, bind, unbind, serversGo } = changes;
  const entries = changes.entries.flatMap(entryChanges);
  const last = device === "" ? entries.filter(({ kind }) => kind === "remove") : [];
  const early: readonly (IpvsStep | false)[] = [
    deviceMissing && { kind: "device", name: device },
    sets(create.map((set) => ({ kind: "create", set }))),
    sets(resize.flatMap(replacement)),
    servers.length > 0 && { kind: "servers", changes: servers },
    retire.length > 0 && { kind: "retire", reals: retire, again: false },
    bind.length > 0 && { kind: "bind", device, addresses: bind },
    sets(entries.filter((change) => !last.includes(change))),
  ];
  const late: readonly (IpvsStep | false)[] = [
    unbind.length > 0 && { kind: "unbind", device, addresses: unbind },
    serversGo.length > 0 && {
      kind: "servers",
      changes: serversGo.map((server) => ({ kind: "remove-server", server })),
    },
    sets(last),
  ];
  return { early: early.filter((step) => step !== false), late: late.filter((step) => step !== false) };
}

/** Rules keep matching the name, and after the SWAP that is the new set; it was filled before. */
function replacement({ set, entries }: Resize): readonly SetChange[] {
  const scratch = { ...set, name: scratchName(set.name) };
  return [
    { kind: "destroy", name: scratch.name },
    { kind: "create", set: scratch },
    { kind: "add", set: scratch, entries },
    { kind: "swap", name: set.name, other: scratch.name },
    { kind: "destroy", name: scratch.name },
  ];
}

function sets(changes: readonly SetChange[]): IpvsStep | false {
  return changes.length > 0 && { kind: "sets", changes };
}

/** What goes first makes room, and an exception (`nomatch`) and the rule itself are one entry to the kernel. */
function entryChanges({ set, come, go }: EntryChanges): readonly SetChange[] {
  const changes: readonly SetChange[] = [
    { kind: "remove", set, entries: go },
    { kind: "add", set, entries: come },
  ];
  return changes.filter((change) => "entries" in change && [...change.entries].length > 0);
}
