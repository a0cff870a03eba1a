// Evaluates whether an ipset contains the addresses and ports of a packet.

import { type HostAddress, hasPorts, hostAddress, type PacketState, TCP, UDP } from "../packet.ts";
import type { SetMatch } from "../rule/address-matches.ts";
import { prefixMask, readAddressBits, readNetwork } from "../rule/network.ts";
import { readProtocol, type Side } from "../rule/options.ts";
import type { FoundSet } from "../ruleset.ts";
import type { Situation } from "./context.ts";
import { agreed, FAILS, type Judgement, judged, negated, unknown } from "./match-result.ts";

/** What stands between the commas of an entry: `ip`, `net`, `port`, `iface`, `mac`, `mark`, `set`. */
type Dimension = string;

interface SetIndex {
  readonly dimensions: readonly Dimension[];
  /** Entries by their parts; true for an exception (`nomatch`). */
  readonly entries: ReadonlyMap<string, boolean>;
  /** Which prefix lengths stand side by side in entries, the longest first: one for each part of kind `net`. */
  readonly prefixes: readonly (readonly number[])[];
}

const REMEMBERED = new WeakMap<FoundSet, SetIndex>();

/** Each set is gone through once. */
function indexOf(set: FoundSet): SetIndex {
  const index = REMEMBERED.get(set) ?? buildIndex(set);
  REMEMBERED.set(set, index);
  return index;
}

function buildIndex({ type, entries }: FoundSet): SetIndex {
  const dimensions = type.slice(type.indexOf(":") + 1).split(",");
  const found = new Map<string, boolean>();
  const prefixes = new Map<string, readonly number[]>();
  for (const entry of entries) {
    const [text = "", nomatch] = entry.split(" ");
    const parts = text.split(",").flatMap((part, at) => readPart(dimensions[at], part) ?? []);
    // One that nobody can read is for nobody.
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
      const address = readAddressBits(text);
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
  const protocol = readProtocol(name);
  return protocol === undefined ? undefined : { key: portKey(protocol, Number(port)) };
}

/** A whole address stands without its length. */
function readNet(text: string): EntryPart | undefined {
  const network = readNetwork(text);
  const [, length] = text.split("/");
  const prefix = Number(length ?? (network?.family === "IPv6" ? 128 : 32));
  return network && { key: networkKey(network.address, prefix), prefix };
}

function longestFirst(one: readonly number[], other: readonly number[]): number {
  const differences = one.map((prefix, at) => Number(other[at]) - prefix);
  return Number(differences.find((difference) => difference !== 0));
}

/** Sets may hold sets; the kernel does not let them hold one another in a ring, but a text may say so. */
const DEEPEST = 8;

export function judgeSet(match: SetMatch, state: PacketState, situation: Situation): Judgement {
  return negated(judgeNamed(match.name, { match, state, situation, depth: 0 }), match.not);
}

interface Question {
  readonly match: SetMatch;
  readonly state: PacketState;
  readonly situation: Situation;
  readonly depth: number;
}

function judgeNamed(name: string, question: Question): Judgement {
  const set = question.situation.field.sets.get(name);
  if (set === undefined || question.depth > DEEPEST)
    return unknown(`asks for set ${name}, which is not in the dump (ipset save)`);
  if (set.type === "list:set") return judgeList(set, question);
  const answers = sourcesFor(set, question).map((source) => judgeEntries(set, { ...question, source }));
  const [first] = answers;
  if (first === undefined || answers.length === 1) return first ?? unknown(WHICH);
  return (
    answers.find(({ kind }) => kind === "unknown") ??
    agreed(
      answers.map(({ kind }) => kind === "holds"),
      WHICH,
    )
  );
}

/** The packet's source; all that it may be, where it is not known and the set asks for it. */
function sourcesFor({ type }: FoundSet, { match, state, situation }: Question): readonly HostAddress[] {
  if (state.source !== undefined) return [state.source];
  if (!match.sides.includes("source") || !/ip|net/.test(type)) return [state.destination];
  return (situation.locality.sources ?? []).map(hostAddress);
}

/** The question, once it is settled which source it is about. */
interface Settled extends Question {
  readonly source: HostAddress;
}

const WHICH = "asks which of the node's addresses it comes from; say it in --from";

/** One set that has it is enough. */
function judgeList(set: FoundSet, question: Question): Judgement {
  const answers = [...set.entries].map((entry) => {
    return judgeNamed(entry.replace(/ .*/, ""), { ...question, depth: question.depth + 1 });
  });
  return answers.find(({ kind }) => kind === "holds") ?? answers.find(({ kind }) => kind === "unknown") ?? FAILS;
}

/** The kernel takes no set of another family, and none whose entries have more parts than the rule names. */
function judgeEntries(set: FoundSet, question: Settled): Judgement {
  const index = indexOf(set);
  const { match, state } = question;
  const family = state.destination.bits.family === "IPv6" ? "inet6" : "inet";
  if (set.family !== "none" && set.family !== family) return FAILS;
  if (match.sides.length < index.dimensions.length || index.entries.size === 0) return FAILS;
  const parts: Exclude<PacketPart, { kind: "missing" }>[] = [];
  for (const [at, dimension] of index.dimensions.entries()) {
    const side = match.sides[at] === "source" ? "source" : "destination";
    const part = partOf(dimension, side, { ...question, set });
    if (part.kind === "missing") return part.judgement;
    parts.push(part);
  }
  const found = findEntry(index, parts);
  // `--return-nomatch` turns it round: an exception holds, and nothing else does.
  return judged(found !== undefined && found === match.returnNomatch);
}

/** A part of the packet, for each prefix length that entries may have; or the reason why there is none. */
type PacketPart =
  | { readonly kind: "exact"; readonly key: string }
  | { readonly kind: "network"; readonly key: (prefix: number) => string }
  | { readonly kind: "missing"; readonly judgement: Judgement };

/** True for an exception, undefined for nothing: the entry with the longest prefix decides. */
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

function partOf(dimension: string, side: Side, question: Settled & { readonly set: FoundSet }): PacketPart {
  const { state, source, set, situation } = question;
  switch (dimension) {
    case "ip":
    case "net":
      return addressPart(dimension, side === "source" ? source : state.destination, set);
    case "port":
      return portPart(side, question);
    case "iface": {
      const given = side === "source" ? situation.inInterface : situation.outInterface;
      if (given.kind === "named") return { kind: "exact", key: given.name };
      return missing(given.kind === "none" ? FAILS : unknown(`asks set ${set.name} for an interface; say --in`));
    }
    default:
      return missing(unknown(`asks set ${set.name} for what nobody knows of the packet (${dimension})`));
  }
}

function addressPart(dimension: "ip" | "net", { bits }: HostAddress, { netmask }: FoundSet): PacketPart {
  const cut = (prefix: number) => bits.bits & prefixMask(bits.family, prefix);
  if (dimension === "net") return { kind: "network", key: (prefix) => networkKey(cut(prefix), prefix) };
  return { kind: "exact", key: addressKey(netmask === undefined ? bits.bits : cut(netmask)) };
}

/** A bitmap knows ports of TCP and UDP alone, and does not tell one from the other. */
function portPart(side: Side, { state, set, situation }: Question & { readonly set: FoundSet }): PacketPart {
  const { protocol } = situation.packet;
  const bitmap = set.type === "bitmap:port";
  if (bitmap && protocol !== TCP && protocol !== UDP) return missing(FAILS);
  if (protocol === 1 || protocol === 58) return missing(unknown(`asks set ${set.name} for a type of ICMP`));
  const port = side === "source" ? state.sourcePort : state.destinationPort;
  if (port === undefined && hasPorts(protocol)) return missing(unknown("asks for the port it comes from"));
  return { kind: "exact", key: bitmap ? `${port}` : portKey(protocol, port ?? 0) };
}

function missing(judgement: Judgement): PacketPart {
  return { kind: "missing", judgement };
}
