// Walks a packet through the netfilter hooks, tables and IPVS in the kernel's order and records its outcomes.

import type { MissingPart } from "../../state/dump-part.ts";
import type { TableName } from "../../state/kernel-state.ts";
import { type LocalAddresses, localAddressesOf } from "../local-addresses.ts";
import type { Hook, HookContext } from "../match/context.ts";
import { type HostAddress, hostAddress, type Interface, type Packet, packetState } from "../packet.ts";
import { ALWAYS } from "../probability.ts";
import type { Ruleset } from "../ruleset.ts";
import type { Trace } from "../trace.ts";
import { Branches, Recorder } from "./branches.ts";
import { recordDelivery } from "./delivery.ts";
import { type IpvsResult, walkVirtualServers } from "./ipvs.ts";
import { walkTable } from "./table.ts";

/** What all parts of one walk share. */
interface WalkContext {
  readonly ruleset: Ruleset;
  readonly packet: Packet;
  readonly localAddresses: LocalAddresses;
  readonly source: HostAddress | undefined;
  readonly recorder: Recorder;
}

/** The interfaces at a hook, and what is known about the connection. */
type HookInterfaces = Pick<HookContext, "inInterface" | "outInterface" | "connection">;

const NONE: Interface = { kind: "none" };

const LOOPBACK: Interface = { kind: "named", name: "lo" };

/**
 * Traces the packet through the ruleset until every branch has an outcome. A rule or table that cannot be evaluated
 * ends its branch as unknown.
 */
export function walk(ruleset: Ruleset, packet: Packet): Trace {
  const localAddresses = localAddressesOf(ruleset);
  const { origin, destination, sourcePort, destinationPort, mark = 0 } = packet;
  const source = sourceOf(packet, localAddresses);
  const state = packetState({
    source,
    sourcePort,
    destination: hostAddress(destination),
    destinationPort,
    mark,
    connectionMark: 0,
    tracked: true,
    translated: { source: false, destination: false },
    server: undefined,
    recentLists: [],
  });
  const recorder = new Recorder();
  const context = { ruleset, packet, localAddresses, source, recorder };
  const all = new Branches([{ state, probability: ALWAYS, possible: false, previous: [], reasons: {} }]);
  if (origin.kind === "arrives") walkIncoming(context, all, interfaceNamed(origin.inInterface));
  else walkOutgoing(context, all);
  return { packet, steps: recorder.steps, outcomes: recorder.outcomes };
}

/** A process that sends to an address of its own node uses that address as the source. */
function sourceOf({ origin, destination }: Packet, { isLocal, sources }: LocalAddresses): HostAddress | undefined {
  if (origin.source !== undefined) return hostAddress(origin.source);
  if (isLocal(destination) === true) return hostAddress(destination);
  const [first, ...others] = sources ?? [];
  return first !== undefined && others.length === 0 ? hostAddress(first) : undefined;
}

/** A packet from outside: the routing decision follows PREROUTING (NF_INET_PRE_ROUTING). */
function walkIncoming(context: WalkContext, branches: Branches, inInterface: Interface): void {
  const interfaces = { inInterface, outInterface: NONE, connection: "new" } as const;
  let here = walkHookTable(context, branches, { hook: "PREROUTING", table: "raw", ...interfaces, connection: "none" });
  here = walkHookTable(context, here, { hook: "PREROUTING", table: "mangle", ...interfaces });
  here = walkNatTable(context, here, { hook: "PREROUTING", ...interfaces });
  const { local, others } = route(context, here);
  walkInput(context, local, interfaces);
  walkForward(context, others, { ...interfaces, outInterface: interfaceNamed(context.packet.outInterface) });
}

function walkForward(context: WalkContext, branches: Branches, interfaces: HookInterfaces): void {
  const here = walkFilterTables(context, branches, { hook: "FORWARD", ...interfaces });
  sendToNetwork(context, here, { ...interfaces, inInterface: NONE });
}

/** INPUT. IPVS runs after the filter table and forwards what it translates. */
function walkInput(context: WalkContext, branches: Branches, interfaces: HookInterfaces): void {
  const here = walkFilterTables(context, branches, { hook: "INPUT", ...interfaces });
  const { forwarded, passed } = walkIpvs(context, "INPUT", here);
  const { local, others } = route(context, forwarded);
  const mine = new Branches([...passed, ...local]);
  const received =
    interfaces.connection === "confirmed" ? mine : walkNatTable(context, mine, { hook: "INPUT", ...interfaces });
  for (const branch of received) recordDelivery(context, branch, "node");
  forwardByIpvs(context, others);
}

/** OUTPUT. IPVS runs between the nat table and the filter table. */
function walkOutgoing(context: WalkContext, branches: Branches): void {
  const { packet, localAddresses } = context;
  const out = localAddresses.isLocal(packet.destination) === true ? LOOPBACK : interfaceNamed(packet.outInterface);
  const interfaces = { inInterface: NONE, outInterface: out, connection: "new" } as const;
  let here = walkHookTable(context, branches, { hook: "OUTPUT", table: "raw", ...interfaces, connection: "none" });
  here = walkHookTable(context, here, { hook: "OUTPUT", table: "mangle", ...interfaces });
  here = walkNatTable(context, here, { hook: "OUTPUT", ...interfaces });
  const { forwarded, passed } = walkIpvs(context, "OUTPUT", here);
  const { local, others } = route(context, forwarded);
  forwardByIpvs(context, others);
  here = walkHookTable(context, new Branches([...passed, ...local]), {
    hook: "OUTPUT",
    table: "filter",
    ...interfaces,
  });
  here = walkHookTable(context, here, { hook: "OUTPUT", table: "security", ...interfaces });
  leaveOutput(context, here, interfaces);
}

/** Packets that IPVS forwards to another host pass OUTPUT from its first table on. */
function forwardByIpvs(context: WalkContext, branches: Branches): void {
  const out = interfaceNamed(context.packet.outInterface);
  const interfaces = { inInterface: NONE, outInterface: out, connection: "new" } as const;
  let here = walkHookTable(context, branches, { hook: "OUTPUT", table: "raw", ...interfaces });
  here = walkHookTable(context, here, { hook: "OUTPUT", table: "mangle", ...interfaces });
  here = walkHookTable(context, here, { hook: "OUTPUT", table: "filter", ...interfaces });
  here = walkHookTable(context, here, { hook: "OUTPUT", table: "security", ...interfaces });
  sendToNetwork(context, here, interfaces);
}

/** Leaves the node, or returns over loopback if the destination is a local address. */
function leaveOutput(context: WalkContext, branches: Branches, interfaces: HookInterfaces): void {
  const { local, others } = route(context, branches);
  sendToNetwork(context, others, { ...interfaces, outInterface: interfaceNamed(context.packet.outInterface) });
  const sent = walkPostrouting(context, local, { ...interfaces, outInterface: LOOPBACK });
  walkLoopback(context, sent);
}

/** The connection is confirmed, so the nat table is not evaluated again. */
function walkLoopback(context: WalkContext, branches: Branches): void {
  const interfaces = { inInterface: LOOPBACK, outInterface: NONE, connection: "confirmed" } as const;
  let here = walkHookTable(context, branches, { hook: "PREROUTING", table: "raw", ...interfaces });
  here = walkHookTable(context, here, { hook: "PREROUTING", table: "mangle", ...interfaces });
  walkInput(context, here, interfaces);
}

function sendToNetwork(context: WalkContext, branches: Branches, interfaces: HookInterfaces): void {
  for (const branch of walkPostrouting(context, branches, interfaces)) recordDelivery(context, branch, "network");
}

function walkPostrouting(context: WalkContext, branches: Branches, interfaces: HookInterfaces): Branches {
  const here = walkHookTable(context, branches, { hook: "POSTROUTING", table: "mangle", ...interfaces });
  return walkNatTable(context, here, { hook: "POSTROUTING", ...interfaces });
}

/** The mangle, filter and security tables, in this order. */
function walkFilterTables(
  context: WalkContext,
  branches: Branches,
  interfaces: HookInterfaces & { readonly hook: Hook },
): Branches {
  const tables = ["mangle", "filter", "security"] as const;
  return tables.reduce((here, table) => walkHookTable(context, here, { ...interfaces, table }), branches);
}

/** The nat table, for branches whose connection is tracked. */
function walkNatTable(
  context: WalkContext,
  branches: Branches,
  interfaces: HookInterfaces & { readonly hook: Hook },
): Branches {
  const tracked = new Branches([...branches].filter(({ state }) => state.tracked));
  const untracked = [...branches].filter(({ state }) => !state.tracked);
  return new Branches([...walkHookTable(context, tracked, { ...interfaces, table: "nat" }), ...untracked]);
}

type HookTable = HookInterfaces & { readonly hook: Hook; readonly table: TableName };

function walkHookTable(
  { ruleset, packet, localAddresses, source, recorder }: WalkContext,
  branches: Branches,
  at: HookTable,
): Branches {
  const { hook, table } = at;
  const missing = ruleset.missing?.find(({ part }) => part === table || part === "tables");
  if (missing) return recordUnknown(recorder, branches, missing);
  const chains = ruleset.tables.get(table) ?? new Map();
  const policy = ruleset.policies.get(table)?.get(hook) ?? "ACCEPT";
  const context = { ruleset, packet, localAddresses, source, ...at };
  return walkTable({ context, chains, policy }, branches, recorder);
}

/** Records all branches as unknown at a part of the kernel state that is missing. */
function recordUnknown(recorder: Recorder, branches: Branches, { reason, remedy }: MissingPart): Branches {
  for (const branch of branches) recorder.recordOutcome(branch, { kind: "unknown", reason, remedy });
  return new Branches();
}

/**
 * Splits branches by whether their destination is a local address. Branches for which that is not known end as
 * unknown.
 */
function route(
  { ruleset, localAddresses, recorder }: WalkContext,
  branches: Branches,
): { readonly local: Branches; readonly others: Branches } {
  const [local, others] = [new Branches(), new Branches()];
  for (const branch of branches) {
    const { text } = branch.state.destination;
    const mine = localAddresses.isLocal(text);
    const missing = missingServers(ruleset);
    // Addresses of virtual servers are local, and the virtual servers are missing.
    if (missing && mine !== true) {
      recordUnknown(recorder, new Branches([branch]), missing);
    } else if (mine !== undefined) (mine ? local : others).add(branch);
    else
      recorder.recordOutcome(branch, {
        kind: "unknown",
        reason: `whether ${text} is a local address of the node; pass --node-address`,
      });
  }
  return { local, others };
}

function walkIpvs(
  { ruleset, packet, recorder }: WalkContext,
  hook: "INPUT" | "OUTPUT",
  branches: Branches,
): IpvsResult {
  const missing = missingServers(ruleset);
  const known = missing ? recordUnknown(recorder, branches, missing) : branches;
  return walkVirtualServers({ ruleset, protocol: packet.protocol, hook, recorder }, known);
}

function missingServers({ missing }: Ruleset): MissingPart | undefined {
  return missing?.find(({ part }) => part === "servers");
}

function interfaceNamed(name: string | undefined): Interface {
  return name === undefined ? { kind: "unknown" } : { kind: "named", name };
}
