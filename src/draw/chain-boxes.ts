// How is one chain drawn? A box, and arrows to what its rules lead to.
import type { Arrow, Box } from "./graph.ts";
import { known } from "./known.ts";
import { distinctTexts, joinPieces, shorten, wrapWords } from "./lines.ts";
import { sharesOf } from "./rule-shares.ts";
import type { RuleText } from "./rule-text.ts";
import { isEntryOf, type ServerGroup } from "./server-boxes.ts";
import { chainId, type DrawnChain, type EntriesOfSets, MARK_CHAIN } from "./service-rules.ts";

/** All that is drawn beside the chain at hand. */
export interface Surroundings {
  /** Printed name of the ServicePort, without its protocol. */
  readonly service: string;
  /** Ids of all chains that are drawn. */
  readonly chains: ReadonlySet<string>;
  readonly entries: EntriesOfSets;
  readonly groups: readonly ServerGroup[];
  /** Of chains that are part of a choice, by id: how many packets come to them. */
  readonly treeShares: ReadonlyMap<string, bigint>;
}

export interface Drawn {
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

/** A rule of a chain, with what its arrow says. */
interface Step {
  readonly rule: RuleText;
  readonly labels: readonly string[];
}

/** What rules do that lead nowhere; any other target is called by its name. */
const DEEDS: ReadonlyMap<string, string> = new Map([
  [MARK_CHAIN, "masquerade"],
  ["MASQUERADE", "masquerade"],
  ["MARK", "unmark"],
  ["ACCEPT", "accept"],
  ["RETURN", "return"],
]);

/** The chain, with the ends and sets that it alone leads to. */
export function drawChain(chain: DrawnChain, around: Surroundings): Drawn {
  const steps = stepsOf(chain, around);
  const plain = steps.filter(({ rule }) => !rule.set);
  const arrows = plain.flatMap(({ rule, labels }) => arrowOf(chain.id, endOf(rule, chain, around), labels));
  const box: Box = { ...boxOf(chain), notes: [...chain.notes, ...notesOf(plain, chain, around)] };
  const ends = steps.flatMap(({ rule }) => refusalOf(rule, chain) ?? endpointOf(rule) ?? []);
  const sets = [...new Set(steps.flatMap(({ rule }) => rule.set?.name ?? []))];
  const drawn = sets.map((name) => drawSet(name, steps, { chain, around }));
  return {
    boxes: [box, ...drawn.flatMap(({ boxes }) => boxes), ...ends],
    arrows: [...arrows, ...drawn.flatMap((set) => set.arrows)],
  };
}

function boxOf({ id, table, name, hook }: DrawnChain): Omit<Box, "notes"> {
  return { id, kind: hook ? "hook" : "chain", caption: table, name };
}

/** A set that rules of a chain ask for, between the chain and what they lead to. */
function drawSet(
  name: string,
  steps: readonly Step[],
  { chain, around }: { readonly chain: DrawnChain; readonly around: Surroundings },
): Drawn {
  const asking = steps.filter(({ rule }) => rule.set?.name === name);
  const entries = known(around.entries, name);
  const id = `${chain.id} set ${name}`;
  const sides = [...new Set(asking.map(({ rule }) => rule.set?.sides))].filter((each) => each !== undefined);
  const served = asking.flatMap(({ rule: { protocol } }) =>
    around.groups.filter((group) => entries.some((text) => isEntryOf(group, { text, protocol }))),
  );
  return {
    boxes: [{ id, kind: "set", caption: "set", name, notes: [...shorten(entries), ...notesOf(asking, chain, around)] }],
    arrows: [
      { from: chain.id, to: id, labels: sides },
      ...asking.flatMap(({ rule, labels }) => arrowOf(id, endOf(rule, chain, around), labels)),
      ...(chain.table === "nat" ? served.map(({ box }) => ({ from: id, to: box.id, labels: [] })) : []),
    ],
  };
}

/** What each arrow says: remark and conditions of its rule, and which share of packets goes that way. */
function stepsOf(chain: DrawnChain, around: Surroundings): readonly Step[] {
  const shares = sharesOf(chain.rules, around.treeShares.get(chain.id));
  let branches = 0;
  return chain.rules.map((rule, index) => {
    const share = shares[index];
    const pieces = [...piecesOf(rule, around.service), ...(share === undefined ? [] : [share])];
    if (pieces.length === 0 && rule.seenWithin === undefined && branches > 0 && !chain.hook) pieces.push("all others");
    if (rule.seenWithin === undefined && isBranch(rule, chain, around)) branches++;
    return { rule, labels: joinPieces(pieces) };
  });
}

/** Do packets that meet the rule see no further rule of the chain? Not so in hooks: from there, chains return. */
function isBranch(rule: RuleText, chain: DrawnChain, around: Surroundings): boolean {
  return rule.target === "ACCEPT" || rule.target === "RETURN" || endOf(rule, chain, around) !== undefined;
}

/** The remark in front of the first condition, as `cluster IP 10.96.1.5:443/tcp`. */
function piecesOf({ comment, conditions, destination, protocol }: RuleText, service: string): readonly string[] {
  if (destination !== undefined) return ["DNAT", ...conditions.filter((condition) => condition !== protocol)];
  const remark = comment.startsWith(`${service} `) ? comment.slice(service.length + 1) : "";
  if (remark === "" || remark.startsWith("-> ")) return conditions;
  const [first, ...others] = conditions;
  return [first === undefined ? remark : `${remark} ${first}`, ...others];
}

function arrowOf(from: string, to: string | undefined, labels: readonly string[]): readonly Arrow[] {
  return to === undefined ? [] : [{ from, to, labels }];
}

/** Where a rule leads: a chain, a refusal or an endpoint that is drawn; undefined where packets go on. */
function endOf(rule: RuleText, chain: DrawnChain, { chains }: Surroundings): string | undefined {
  const next = chainId(chain.table, rule.target ?? "");
  if (chains.has(next)) return next;
  return (refusalOf(rule, chain) ?? endpointOf(rule))?.id;
}

function refusalOf({ target }: RuleText, { table }: DrawnChain): Box | undefined {
  if (target !== "DROP" && target !== "REJECT") return undefined;
  return { id: chainId(table, target), kind: "refusal", caption: table, name: target, notes: [] };
}

function endpointOf({ destination }: RuleText): Box | undefined {
  if (destination === undefined) return undefined;
  return { id: `to ${destination}`, kind: "endpoint", caption: "", name: destination, notes: [] };
}

/** What stands in the box that these rules are in. */
function notesOf(steps: readonly Step[], chain: DrawnChain, around: Surroundings): readonly string[] {
  return shorten(distinctTexts(steps.map(({ rule }) => noteOf(rule, endOf(rule, chain, around) !== undefined))));
}

function noteOf({ target, seenWithin, remembers, comment, conditions }: RuleText, leads: boolean): readonly string[] {
  if (seenWithin !== undefined) return [`affinity: ${seenWithin} s`];
  if (remembers) return ["affinity: remembers the client"];
  if (leads) return [];
  if (target === undefined) return wrapWords(comment);
  const deed = DEEDS.get(target) ?? target;
  const [first, ...others] = conditions;
  return joinPieces([first === undefined ? deed : `${deed}: ${first}`, ...others]);
}
