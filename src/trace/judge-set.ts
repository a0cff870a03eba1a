// Evaluates whether an ipset contains the fields of a packet.
import { prefixMask } from "./address-value.ts";
import type { FoundSet } from "./found-set.ts";
import { agreed, FAILS, type Judgement, judged, negated, unknown } from "./judgement.ts";
import type { SetMatch, Side } from "./match-kinds.ts";
import { hasPorts, TCP, UDP } from "./packet.ts";
import { type HostAddress, hostAddress, type PacketState } from "./packet-state.ts";
import { addressKey, indexOf, keyOf, networkKey, portKey, type SetIndex } from "./set-index.ts";
import type { Situation } from "./situation.ts";

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
  const parts: Exclude<Part, { kind: "missing" }>[] = [];
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
type Part =
  | { readonly kind: "exact"; readonly key: string }
  | { readonly kind: "network"; readonly key: (prefix: number) => string }
  | { readonly kind: "missing"; readonly judgement: Judgement };

/** True for an exception, undefined for nothing: the entry with the longest prefix decides. */
function findEntry(
  { entries, prefixes }: SetIndex,
  parts: readonly Exclude<Part, { kind: "missing" }>[],
): boolean | undefined {
  for (const lengths of prefixes) {
    let used = 0;
    const keys = parts.map((part) => (part.kind === "exact" ? part.key : part.key(Number(lengths[used++]))));
    const found = entries.get(keyOf(keys));
    if (found !== undefined) return found;
  }
  return undefined;
}

function partOf(dimension: string, side: Side, question: Settled & { readonly set: FoundSet }): Part {
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

function addressPart(dimension: "ip" | "net", { bits }: HostAddress, { netmask }: FoundSet): Part {
  const cut = (prefix: number) => bits.bits & prefixMask(bits.family, prefix);
  if (dimension === "net") return { kind: "network", key: (prefix) => networkKey(cut(prefix), prefix) };
  return { kind: "exact", key: addressKey(netmask === undefined ? bits.bits : cut(netmask)) };
}

/** A bitmap knows ports of TCP and UDP alone, and does not tell one from the other. */
function portPart(side: Side, { state, set, situation }: Question & { readonly set: FoundSet }): Part {
  const { protocol } = situation.packet;
  const bitmap = set.type === "bitmap:port";
  if (bitmap && protocol !== TCP && protocol !== UDP) return missing(FAILS);
  if (protocol === 1 || protocol === 58) return missing(unknown(`asks set ${set.name} for a type of ICMP`));
  const port = side === "source" ? state.sourcePort : state.destinationPort;
  if (port === undefined && hasPorts(protocol)) return missing(unknown("asks for the port it comes from"));
  return { kind: "exact", key: bitmap ? `${port}` : portKey(protocol, port ?? 0) };
}

function missing(judgement: Judgement): Part {
  return { kind: "missing", judgement };
}
