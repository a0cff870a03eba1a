// Evaluates whether an ipset contains the addresses and ports of a packet.

import { type HostAddress, hasPorts, hostAddress, type PacketState, TCP, UDP } from "../packet.ts";
import type { SetMatch } from "../rule/address-matches.ts";
import { parseAddressBits, parseNetwork, prefixMask } from "../rule/network.ts";
import { parseProtocol, type Side } from "../rule/options.ts";
import type { Ipset } from "../ruleset.ts";
import type { HookContext } from "./context.ts";
import { allEqual, type MatchResult, matchIf, NO_MATCH, negated, unknown } from "./match-result.ts";

/** What stands between the commas of an entry: `ip`, `net`, `port`, `iface`, `mac`, `mark`, `set`. */
type Dimension = string;

interface SetIndex {
  readonly dimensions: readonly Dimension[];
  /** Entries by their parts; true for an exception (`nomatch`). */
  readonly entries: ReadonlyMap<string, boolean>;
  /** Which prefix lengths stand side by side in entries, the longest first: one for each part of kind `net`. */
  readonly prefixes: readonly (readonly number[])[];
}

const INDEXES = new WeakMap<Ipset, SetIndex>();

/** Builds the index of a set once. */
function indexOf(set: Ipset): SetIndex {
  const index = INDEXES.get(set) ?? buildIndex(set);
  INDEXES.set(set, index);
  return index;
}

function buildIndex({ type, entries }: Ipset): SetIndex {
  const dimensions = type.slice(type.indexOf(":") + 1).split(",");
  const found = new Map<string, boolean>();
  const prefixes = new Map<string, readonly number[]>();
  for (const entry of entries) {
    const [text = "", nomatch] = entry.split(" ");
    const parts = text.split(",").flatMap((part, at) => readPart(dimensions[at], part) ?? []);
    // Entries that cannot be parsed match no packet.
    if (parts.length !== dimensions.length) continue;
    const lengths = parts.flatMap(({ prefix }) => prefix ?? []);
    found.set(keyOf(parts.map(({ key }) => key)), nomatch !== undefined);
    prefixes.set(lengths.join(), lengths);
  }
  return { dimensions, entries: found, prefixes: [...prefixes.values()].sort(longestFirst) };
}

/** One key for the parts of an entry, each as below. */
function keyOf(parts: readonly string[]): string {
  return parts.join();
}

function addressKey(bits: bigint): string {
  return bits.toString(36);
}

function networkKey(bits: bigint, prefix: number): string {
  return `${bits.toString(36)}/${prefix}`;
}

function portKey(protocol: number, port: number): string {
  return `${protocol}:${port}`;
}

interface EntryPart {
  readonly key: string;
  readonly prefix?: number;
}

function readPart(dimension: Dimension | undefined, text: string): EntryPart | undefined {
  switch (dimension) {
    case "ip": {
      const address = parseAddressBits(text);
      return address && { key: addressKey(address.bits) };
    }
    case "net":
      return readNet(text);
    case "port":
      return readPort(text);
    default:
      return { key: text };
  }
}

/** `tcp:80`; of a bitmap, `80` alone. */
function readPort(text: string): EntryPart | undefined {
  const [name = "", port] = text.split(":");
  if (port === undefined) return { key: name };
  const protocol = parseProtocol(name);
  return protocol === undefined ? undefined : { key: portKey(protocol, Number(port)) };
}

/** A whole address stands without its length. */
function readNet(text: string): EntryPart | undefined {
  const network = parseNetwork(text);
  const [, length] = text.split("/");
  const prefix = Number(length ?? (network?.family === "IPv6" ? 128 : 32));
  return network && { key: networkKey(network.address, prefix), prefix };
}

function longestFirst(one: readonly number[], other: readonly number[]): number {
  const differences = one.map((prefix, at) => Number(other[at]) - prefix);
  return Number(differences.find((difference) => difference !== 0));
}

/** Limit for nested `list:set` sets: the kernel rejects loops, but a dump may contain one. */
const MAX_DEPTH = 8;

export function evaluateSet(match: SetMatch, state: PacketState, context: HookContext): MatchResult {
  return negated(evaluateNamedSet(match.name, { match, state, context, depth: 0 }), match.not);
}

interface SetLookup {
  readonly match: SetMatch;
  readonly state: PacketState;
  readonly context: HookContext;
  readonly depth: number;
}

function evaluateNamedSet(name: string, question: SetLookup): MatchResult {
  const set = question.context.ruleset.sets.get(name);
  if (set === undefined || question.depth > MAX_DEPTH)
    return unknown(`matches set ${name}, which is not in the dump (ipset save)`);
  if (set.type === "list:set") return evaluateList(set, question);
  const answers = sourcesFor(set, question).map((source) => evaluateEntries(set, { ...question, source }));
  const [first] = answers;
  if (first === undefined || answers.length === 1) return first ?? unknown(WHICH);
  return (
    answers.find(({ kind }) => kind === "unknown") ??
    allEqual(
      answers.map(({ kind }) => kind === "match"),
      WHICH,
    )
  );
}

/** The packet's source, or all local addresses if it is unknown and the set matches the source. */
function sourcesFor({ type }: Ipset, { match, state, context }: SetLookup): readonly HostAddress[] {
  if (state.source !== undefined) return [state.source];
  if (!match.sides.includes("source") || !/ip|net/.test(type)) return [state.destination];
  return (context.localAddresses.sources ?? []).map(hostAddress);
}

/** A lookup for one source address. */
interface SourcedLookup extends SetLookup {
  readonly source: HostAddress;
}

const WHICH = "depends on which of the node's addresses is the source; pass it in --from";

/** A `list:set` matches if one of its sets matches. */
function evaluateList(set: Ipset, question: SetLookup): MatchResult {
  const answers = [...set.entries].map((entry) => {
    return evaluateNamedSet(entry.replace(/ .*/, ""), { ...question, depth: question.depth + 1 });
  });
  return answers.find(({ kind }) => kind === "match") ?? answers.find(({ kind }) => kind === "unknown") ?? NO_MATCH;
}

/** A set of the other family, or with more dimensions than the rule names, does not match. */
function evaluateEntries(set: Ipset, question: SourcedLookup): MatchResult {
  const index = indexOf(set);
  const { match, state } = question;
  const family = state.destination.bits.family === "IPv6" ? "inet6" : "inet";
  if (set.family !== "none" && set.family !== family) return NO_MATCH;
  if (match.sides.length < index.dimensions.length || index.entries.size === 0) return NO_MATCH;
  const parts: Exclude<PacketPart, { kind: "missing" }>[] = [];
  for (const [at, dimension] of index.dimensions.entries()) {
    const side = match.sides[at] === "source" ? "source" : "destination";
    const part = partOf(dimension, side, { ...question, set });
    if (part.kind === "missing") return part.result;
    parts.push(part);
  }
  const found = findEntry(index, parts);
  // With `--return-nomatch` only `nomatch` entries match.
  return matchIf(found !== undefined && found === match.returnNomatch);
}

/** A part of the packet, for each prefix length that entries may have; or the reason why there is none. */
type PacketPart =
  | { readonly kind: "exact"; readonly key: string }
  | { readonly kind: "network"; readonly key: (prefix: number) => string }
  | { readonly kind: "missing"; readonly result: MatchResult };

/** True for a `nomatch` entry, undefined for none: the entry with the longest prefix decides. */
function findEntry(
  { entries, prefixes }: SetIndex,
  parts: readonly Exclude<PacketPart, { kind: "missing" }>[],
): boolean | undefined {
  for (const lengths of prefixes) {
    let used = 0;
    const keys = parts.map((part) => (part.kind === "exact" ? part.key : part.key(Number(lengths[used++]))));
    const found = entries.get(keyOf(keys));
    if (found !== undefined) return found;
  }
  return undefined;
}

function partOf(dimension: string, side: Side, question: SourcedLookup & { readonly set: Ipset }): PacketPart {
  const { state, source, set, context } = question;
  switch (dimension) {
    case "ip":
    case "net":
      return addressPart(dimension, side === "source" ? source : state.destination, set);
    case "port":
      return portPart(side, question);
    case "iface": {
      const given = side === "source" ? context.inInterface : context.outInterface;
      if (given.kind === "named") return { kind: "exact", key: given.name };
      return missing(
        given.kind === "none" ? NO_MATCH : unknown(`set ${set.name} needs the incoming interface; pass --in`),
      );
    }
    default:
      return missing(unknown(`set ${set.name} needs the ${dimension} of the packet, which is unknown`));
  }
}

function addressPart(dimension: "ip" | "net", { bits }: HostAddress, { netmask }: Ipset): PacketPart {
  const cut = (prefix: number) => bits.bits & prefixMask(bits.family, prefix);
  if (dimension === "net") return { kind: "network", key: (prefix) => networkKey(cut(prefix), prefix) };
  return { kind: "exact", key: addressKey(netmask === undefined ? bits.bits : cut(netmask)) };
}

/** A bitmap knows ports of TCP and UDP alone, and does not tell one from the other. */
function portPart(side: Side, { state, set, context }: SetLookup & { readonly set: Ipset }): PacketPart {
  const { protocol } = context.packet;
  const bitmap = set.type === "bitmap:port";
  if (bitmap && protocol !== TCP && protocol !== UDP) return missing(NO_MATCH);
  if (protocol === 1 || protocol === 58) return missing(unknown(`asks set ${set.name} for a type of ICMP`));
  const port = side === "source" ? state.sourcePort : state.destinationPort;
  if (port === undefined && hasPorts(protocol)) return missing(unknown("asks for the port it comes from"));
  return { kind: "exact", key: bitmap ? `${port}` : portKey(protocol, port ?? 0) };
}

function missing(result: MatchResult): PacketPart {
  return { kind: "missing", result };
}
