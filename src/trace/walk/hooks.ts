// Walks a packet through the netfilter hooks, tables and IPVS in the kernel's order and records its outcomes.

import type { MissingPart } from "../../state/dump-part.ts";
import type { TableName } from "../../state/kernel-state.ts";
import { type Locality, localityOf } from "../local-addresses.ts";
import type { Hook, Situation } from "../match/context.ts";
import { type HostAddress, hostAddress, type Interface, type Packet, packetState } from "../packet.ts";
import { ALWAYS } from "../probability.ts";
import type { Field } from "../ruleset.ts";
import type { Trace } from "../trace.ts";
import { Branches, Recorder } from "./branches.ts";
import { deliver } from "./delivery.ts";
import { type Served, visitServers } from "./ipvs.ts";
import { walkTable } from "./table.ts";

/** Where branches are, and whence they came here. */
interface Passage {
  readonly field: Field;
  readonly packet: Packet;
  readonly locality: Locality;
  readonly source: HostAddress | undefined;
  readonly recorder: Recorder;
}

/** An interface on each side, and what is known of the connection. */
type Around = Pick<Situation, "inInterface" | "outInterface" | "connection">;

const NONE: Interface = { kind: "none" };

const LOOPBACK: Interface = { kind: "named", name: "lo" };

/** Walks over the field until every possibility has come to an end, or to a rule that nobody can judge. */
export function walk(field: Field, packet: Packet): Trace {
  const locality = localityOf(field);
  const { origin, destination, sourcePort, destinationPort, mark = 0 } = packet;
  const source = sourceOf(packet, locality);
  const state = packetState({
    source,
    sourcePort,
    destination: hostAddress(destination),
    destinationPort,
    mark,
    connectionMark: 0,
    tracked: true,
    translated: { source: false, destination: false },
    takenBy: undefined,
    remembered: [],
  });
  const recorder = new Recorder();
  const passage = { field, packet, locality, source, recorder };
  const whole = new Branches([{ state, share: ALWAYS, possible: false, before: [], reasons: {} }]);
  if (origin.kind === "arrives") arrive(passage, whole, namedOr(origin.inInterface));
  else setOut(passage, whole);
  return { packet, steps: recorder.steps, ends: recorder.ends };
}

/** What a process sends to an address of its own node comes from that very address. */
function sourceOf({ origin, destination }: Packet, { isLocal, sources }: Locality): HostAddress | undefined {
  if (origin.source !== undefined) return hostAddress(origin.source);
  if (isLocal(destination) === true) return hostAddress(destination);
  const [first, ...others] = sources ?? [];
  return first !== undefined && others.length === 0 ? hostAddress(first) : undefined;
}

/** From outside: the first routing decision stands between PREROUTING and all else. */
function arrive(passage: Passage, branches: Branches, inInterface: Interface): void {
  const around = { inInterface, outInterface: NONE, connection: "new" } as const;
  let here = pass(passage, branches, { hook: "PREROUTING", table: "raw", ...around, connection: "none" });
  here = pass(passage, here, { hook: "PREROUTING", table: "mangle", ...around });
  here = translate(passage, here, { hook: "PREROUTING", ...around });
  const { local, others } = route(passage, here);
  goIn(passage, local, around);
  forward(passage, others, { ...around, outInterface: namedOr(passage.packet.outInterface) });
}

function forward(passage: Passage, branches: Branches, around: Around): void {
  const here = passAll(passage, branches, { hook: "FORWARD", ...around });
  leave(passage, here, { ...around, inInterface: NONE });
}

/** To the node itself. IPVS stands behind the rules of the filter table, and sends on what it translates. */
function goIn(passage: Passage, branches: Branches, around: Around): void {
  const here = passAll(passage, branches, { hook: "INPUT", ...around });
  const { taken, left } = serve(passage, "INPUT", here);
  const { local, others } = route(passage, taken);
  const mine = new Branches([...left, ...local]);
  const received = around.connection === "confirmed" ? mine : translate(passage, mine, { hook: "INPUT", ...around });
  for (const branch of received) deliver(passage, branch, "node");
  sendOn(passage, others);
}

/** From a process. IPVS stands between the nat table and the filter table. */
function setOut(passage: Passage, branches: Branches): void {
  const { packet, locality } = passage;
  const out = locality.isLocal(packet.destination) === true ? LOOPBACK : namedOr(packet.outInterface);
  const around = { inInterface: NONE, outInterface: out, connection: "new" } as const;
  let here = pass(passage, branches, { hook: "OUTPUT", table: "raw", ...around, connection: "none" });
  here = pass(passage, here, { hook: "OUTPUT", table: "mangle", ...around });
  here = translate(passage, here, { hook: "OUTPUT", ...around });
  const { taken, left } = serve(passage, "OUTPUT", here);
  const { local, others } = route(passage, taken);
  sendOn(passage, others);
  here = pass(passage, new Branches([...left, ...local]), { hook: "OUTPUT", table: "filter", ...around });
  here = pass(passage, here, { hook: "OUTPUT", table: "security", ...around });
  goOut(passage, here, around);
}

/** What IPVS sends to another host meets the rules for packets of the node, from the first on. */
function sendOn(passage: Passage, branches: Branches): void {
  const out = namedOr(passage.packet.outInterface);
  const around = { inInterface: NONE, outInterface: out, connection: "new" } as const;
  let here = pass(passage, branches, { hook: "OUTPUT", table: "raw", ...around });
  here = pass(passage, here, { hook: "OUTPUT", table: "mangle", ...around });
  here = pass(passage, here, { hook: "OUTPUT", table: "filter", ...around });
  here = pass(passage, here, { hook: "OUTPUT", table: "security", ...around });
  leave(passage, here, around);
}

/** Out of the node, or, to an address of its own, over loopback back in. */
function goOut(passage: Passage, branches: Branches, around: Around): void {
  const { local, others } = route(passage, branches);
  leave(passage, others, { ...around, outInterface: namedOr(passage.packet.outInterface) });
  const sent = postroute(passage, local, { ...around, outInterface: LOOPBACK });
  comeBack(passage, sent);
}

/** The connection is known by now, and translated: its nat rules are not asked again. */
function comeBack(passage: Passage, branches: Branches): void {
  const around = { inInterface: LOOPBACK, outInterface: NONE, connection: "confirmed" } as const;
  let here = pass(passage, branches, { hook: "PREROUTING", table: "raw", ...around });
  here = pass(passage, here, { hook: "PREROUTING", table: "mangle", ...around });
  goIn(passage, here, around);
}

function leave(passage: Passage, branches: Branches, around: Around): void {
  for (const branch of postroute(passage, branches, around)) deliver(passage, branch, "network");
}

function postroute(passage: Passage, branches: Branches, around: Around): Branches {
  const here = pass(passage, branches, { hook: "POSTROUTING", table: "mangle", ...around });
  return translate(passage, here, { hook: "POSTROUTING", ...around });
}

/** The tables that filter, in order. */
function passAll(passage: Passage, branches: Branches, around: Around & { readonly hook: Hook }): Branches {
  const tables = ["mangle", "filter", "security"] as const;
  return tables.reduce((here, table) => pass(passage, here, { ...around, table }), branches);
}

/** The nat table, for those whose connection is tracked. */
function translate(passage: Passage, branches: Branches, around: Around & { readonly hook: Hook }): Branches {
  const tracked = new Branches([...branches].filter(({ state }) => state.tracked));
  const untracked = [...branches].filter(({ state }) => !state.tracked);
  return new Branches([...pass(passage, tracked, { ...around, table: "nat" }), ...untracked]);
}

type Station = Around & { readonly hook: Hook; readonly table: TableName };

function pass({ field, packet, locality, source, recorder }: Passage, branches: Branches, station: Station): Branches {
  const { hook, table } = station;
  const missing = field.missing?.find(({ part }) => part === table || part === "tables");
  if (missing) return endUnknown(recorder, branches, missing);
  const chains = field.tables.get(table) ?? new Map();
  const policy = field.policies.get(table)?.get(hook) ?? "ACCEPT";
  const situation = { field, packet, locality, source, ...station };
  return walkTable({ situation, chains, policy }, branches, recorder);
}

/** Ends all branches at a part of the kernel state that is not known. */
function endUnknown(recorder: Recorder, branches: Branches, { reason, remedy }: MissingPart): Branches {
  for (const branch of branches) recorder.end(branch, { kind: "unknown", reason, remedy });
  return new Branches();
}

/** Who is for the node itself. Where that is not known, that is the end. */
function route(
  { field, locality, recorder }: Passage,
  branches: Branches,
): { readonly local: Branches; readonly others: Branches } {
  const [local, others] = [new Branches(), new Branches()];
  for (const branch of branches) {
    const { text } = branch.state.destination;
    const mine = locality.isLocal(text);
    const missing = missingServers(field);
    // The address of any virtual server is local, and none of them is known.
    if (missing && mine !== true) {
      endUnknown(recorder, new Branches([branch]), missing);
    } else if (mine !== undefined) (mine ? local : others).add(branch);
    else
      recorder.end(branch, {
        kind: "unknown",
        reason: `whether ${text} is an address of the node; say --node-address`,
      });
  }
  return { local, others };
}

function serve({ field, packet, recorder }: Passage, hook: "INPUT" | "OUTPUT", branches: Branches): Served {
  const missing = missingServers(field);
  const known = missing ? endUnknown(recorder, branches, missing) : branches;
  return visitServers({ field, protocol: packet.protocol, hook, recorder }, known);
}

function missingServers({ missing }: Field): MissingPart | undefined {
  return missing?.find(({ part }) => part === "servers");
}

function namedOr(name: string | undefined): Interface {
  return name === undefined ? { kind: "unknown" } : { kind: "named", name };
}
