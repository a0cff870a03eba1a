// How do the chains that choose among some endpoints of a ServicePort look in a picture?
import { SHOWN } from "./crowd.ts";
import { partsOf, WHOLE } from "./rule-shares.ts";
import type { RuleText } from "./rule-text.ts";
import { chainId, type DrawnChain } from "./service-rules.ts";

/** In the Indexed layout: a chain that chooses has rules for a few endpoints, or leads to such chains. */
const BELOW = "KUBE-IX-SUB-";

type ChainsById = ReadonlyMap<string, DrawnChain>;

/**
 * The chains with all that is chosen below one of them in that chain itself, where it is too much to be drawn, or where
 * the chain leads to each endpoint anyway, since clients are sent to the one they had.
 */
export function foldTrees(chains: readonly DrawnChain[]): readonly DrawnChain[] {
  const byId = new Map(chains.map((chain) => [chain.id, chain]));
  const gone = new Set<string>();
  const folded = chains.map((chain) => {
    if (isBelow(chain) || !chain.rules.some((rule) => choiceBelow(rule, chain, byId))) return chain;
    const below = new Set<string>();
    const choices = [...choicesOf(chain, WHOLE, { byId, below })];
    const remembered = chain.rules.filter(({ seenWithin }) => seenWithin !== undefined);
    if (choices.length <= SHOWN && remembered.length === 0) return chain;
    for (const id of below) gone.add(id);
    return { ...chain, rules: [...remembered, ...inRow(choices)], notes: [`${below.size} chains ${BELOW}… choose`] };
  });
  return folded.filter(({ id }) => !gone.has(id));
}

/** Of the packets that come to the head of its tree, how many come to each chain in one. */
export function treeShares(chains: readonly DrawnChain[]): ReadonlyMap<string, bigint> {
  const byId = new Map(chains.map((chain) => [chain.id, chain]));
  const shares = new Map<string, bigint>();
  const enter = (chain: DrawnChain, whole: bigint) => {
    const parts = partsOf(chain.rules, whole);
    for (const [index, rule] of chain.rules.entries()) {
      const [below, part] = [choiceBelow(rule, chain, byId), parts[index]];
      if (!below || part === undefined) continue;
      shares.set(below.id, part);
      enter(below, part);
    }
  };
  for (const chain of chains) if (!isBelow(chain)) enter(chain, WHOLE);
  return shares;
}

interface Choice {
  readonly rule: RuleText;
  readonly share: bigint;
}

interface Tree {
  readonly byId: ChainsById;
  /** Ids of chains that were met. */
  readonly below: Set<string>;
}

/** The rules that end the choice, those of chains below too. */
function* choicesOf(chain: DrawnChain, whole: bigint, tree: Tree): Iterable<Choice> {
  const parts = partsOf(chain.rules, whole);
  for (const [index, rule] of chain.rules.entries()) {
    const [next, share] = [choiceBelow(rule, chain, tree.byId), parts[index]];
    if (share === undefined) continue;
    if (next) {
      tree.below.add(next.id);
      yield* choicesOf(next, share, tree);
    } else yield { rule, share };
  }
}

/** As rules one after the other would choose. */
function inRow(choices: readonly Choice[]): readonly RuleText[] {
  let left = WHOLE;
  return choices.map(({ rule, share }, index) => {
    const probability = index === choices.length - 1 ? undefined : Number((share << 60n) / left) / 2 ** 60;
    left -= share;
    return { ...rule, probability };
  });
}

function choiceBelow({ target = "" }: RuleText, { table }: DrawnChain, byId: ChainsById): DrawnChain | undefined {
  return target.startsWith(BELOW) ? byId.get(chainId(table, target)) : undefined;
}

function isBelow({ name }: DrawnChain): boolean {
  return name.startsWith(BELOW);
}
