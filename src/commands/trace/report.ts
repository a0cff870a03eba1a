// Traces a packet and adds what the text, JSON and picture of a trace show.

import type { Backend } from "../../backends/backend.ts";
import type { World } from "../../model/world.ts";
import { hostPort } from "../../net/address.ts";
import type { Options } from "../../options/options.ts";
import { isIndexChain } from "../../state/index-chain-name.ts";
import { TABLES, type TableName } from "../../state/kernel-state.ts";
import { targetOf } from "../../state/rule.ts";
import { localityOf } from "../../trace/local-addresses.ts";
import type { Packet } from "../../trace/packet.ts";
import { type Fraction, plus } from "../../trace/probability.ts";
import type { Field } from "../../trace/ruleset.ts";
import type { End, RulePlace, ServerPlace, Step, Trace } from "../../trace/trace.ts";
import { walk } from "../../trace/walk/hooks.ts";
import { podAt, type TraceCluster } from "./cluster.ts";
import { type FoundService, findService } from "./service.ts";

/** Walks, and finds out what there is to say of it. */
export function reportOf(walked: {
  readonly packet: Packet;
  readonly field: Field;
  readonly world: World;
  readonly cluster: TraceCluster;
  readonly mode: TraceReport["mode"];
}): TraceReport {
  const { packet, field, world, cluster, mode } = walked;
  const { isLocal } = localityOf(field);
  return {
    trace: walk(field, packet),
    mode,
    tables: TABLES.filter((table) => field.tables.has(table)),
    layout: mode === "iptables" ? cluster.options.iptablesLayout : undefined,
    nodeName: cluster.nodeName,
    service: findService(world, packet, (address) => isLocal(address) ?? false),
    podAt: (address) => podAt(cluster.objects, address),
  };
}

export interface TraceReport {
  readonly trace: Trace;
  /** `dump`: rules that somebody gave, of whatever mode. */
  readonly mode: Backend["mode"] | "dump";
  /** The tables of a dump that were read. */
  readonly tables: readonly TableName[];
  /** Of iptables mode. */
  readonly layout: Options["iptablesLayout"] | undefined;
  /** Empty: none is known. */
  readonly nodeName: string;
  /** Undefined where the packet is for none that is known. */
  readonly service: FoundService | undefined;
  /** `namespace/name` of the Pod that has an address, where that is known. */
  readonly podAt: (address: string) => string | undefined;
}

/** What one rule or virtual server did alike to packets that had come different ways. */
export interface Meeting {
  readonly at: RulePlace | ServerPlace;
  readonly what: string;
  readonly share: Fraction;
}

/** In order. What meets a rule once stands together among the steps; what comes there again does so anew. */
export function meetingsOf(steps: readonly Step[]): readonly Meeting[] {
  const meetings: Meeting[] = [];
  let here = new Map<string, number>();
  let place = "";
  for (const step of steps) {
    if (place !== keyOf(step.at)) here = new Map();
    place = keyOf(step.at);
    const index = here.get(step.what) ?? meetings.length;
    const other = meetings[index];
    here.set(step.what, index);
    meetings[index] = { ...step, share: other ? plus(other.share, step.share) : step.share };
  }
  return meetings;
}

/** Meetings that lead from chain to chain down an index stand together, all others alone. */
export function descentsOf(meetings: readonly Meeting[]): readonly (readonly [Meeting, ...Meeting[]])[] {
  const groups: [Meeting, ...Meeting[]][] = [];
  for (const meeting of meetings) {
    const last = groups.at(-1);
    const above = last && indexChainBelow(last.at(-1));
    const goesOn =
      above !== undefined && "rule" in meeting.at && meeting.at.chain === above && indexChainBelow(meeting);
    if (last && goesOn) last.push(meeting);
    else groups.push([meeting]);
  }
  return groups;
}

/** The chain of an index that a rule leads to. */
function indexChainBelow(meeting: Meeting | undefined): string | undefined {
  const target = meeting && "rule" in meeting.at ? targetOf(meeting.at.rule.line) : undefined;
  return target !== undefined && isIndexChain(target) ? target : undefined;
}

function keyOf(at: RulePlace | ServerPlace): string {
  return `${stationOf(at)} ${placeOf(at)}`;
}

/** Hook and table; or IPVS, which stands between tables. */
export function stationOf(at: RulePlace | ServerPlace): string {
  return `${at.hook}, ${"rule" in at ? at.table : "ipvs"}`;
}

/** A rule by chain and number, a virtual server by its address. */
export function placeOf(at: RulePlace | ServerPlace): string {
  if ("rule" in at) return `${at.chain} ${at.number}`;
  const { address, port, protocol } = at.server;
  return `${hostPort(address, port)}/${protocol}`;
}

/** Ends that differ in nothing but where they are. */
export function alikeEnds(ends: readonly End[], sayRest: (end: End) => readonly string[]): readonly (readonly End[])[] {
  const groups = new Map<string, End[]>();
  for (const end of ends) {
    const key = JSON.stringify([end.outcome.kind, end.possible, ...sayRest(end)]);
    const group = groups.get(key);
    if (group) group.push(end);
    else groups.set(key, [end]);
  }
  return [...groups.values()];
}
