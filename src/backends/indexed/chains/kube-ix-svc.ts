// How do KUBE-IX-SVC (all allowed endpoints) and KUBE-IX-SVL (those on this node) choose an endpoint?
import { type Keyed, sizeOf, type Tree, treeOf } from "../../../digit-tree.ts";
import type { Endpoint } from "../../../model/endpoint.ts";
import { hostPort, kernelText } from "../../../net/address.ts";
import type { Chain, Rule } from "../../../state/kernel-state.ts";
import { recentMask } from "../../iptables/chains/kube-sep.ts";
import { type Context, writtenWhenAsked } from "../../iptables/context.ts";
import { nearestProbability } from "../../iptables/probability.ts";
import type { Words } from "../../words.ts";
import { endpointChain, endpointDigits, subChain } from "../names.ts";

const CHAIN = "nat/KUBE-IX-SVC";

export function kubeIxSvc(context: Context): readonly Chain[] {
  const { names, traffic } = context;
  return chooser(context, names.svc, traffic.servicePort.usesCluster ? traffic.cluster : []);
}

export function kubeIxSvl(context: Context): readonly Chain[] {
  const { names, traffic } = context;
  return chooser(context, names.svl, traffic.servicePort.usesLocal ? traffic.local : []);
}

interface Choice extends Keyed {
  readonly endpoint: Endpoint;
}

/** Rules of one chain that choose: a packet meets about half of them. */
const MOST = 8;

/** The chain, and where there are more than a handful those below it: one endpoint more or less changes few of them. */
function chooser(context: Context, chain: string, endpoints: readonly Endpoint[]): readonly Chain[] {
  if (endpoints.length === 0) return [];
  // Digits are a digest, and a handful needs none.
  const keyOf = endpoints.length > MOST ? endpointDigits : () => "";
  const choices = endpoints.map((endpoint) => ({ key: keyOf(endpoint), endpoint }));
  const tree = treeOf<Choice>(choices, { most: MOST, compare: (a, b) => (a.endpoint.text < b.endpoint.text ? -1 : 1) });
  const root = writtenWhenAsked(chain, () => [
    ...affinity(context, chain, endpoints),
    ...choose(context, { root: chain, chain, tree }),
  ]);
  return [root, ...chainsBelow(context, { root: chain, chain, tree })];
}

/** A part of the endpoints of a chain, with a chain of its own. */
interface Part {
  readonly root: string;
  readonly chain: string;
  readonly tree: Tree<Choice>;
}

function partsOf({ root, tree }: Part): readonly Part[] {
  if (tree.kind === "leaf") return [];
  return [...tree.children].map(([digit, child]) => {
    return { root, chain: subChain(root, tree.prefix + digit), tree: child };
  });
}

function chainsBelow(context: Context, part: Part): readonly Chain[] {
  return partsOf(part).flatMap((each) => [
    writtenWhenAsked(each.chain, () => choose(context, each)),
    ...chainsBelow(context, each),
  ]);
}

function affinity({ fill, chainOf, settings, traffic }: Context, chain: string, endpoints: readonly Endpoint[]) {
  const { affinitySeconds } = traffic.servicePort;
  if (affinitySeconds === 0) return [];
  const shared = { chain, seconds: String(affinitySeconds), "recent.mask": recentMask(settings.family) };
  return endpoints.map((endpoint): Rule => {
    const recent = chainOf(endpoint);
    return fill(CHAIN, "affinity", { ...shared, recent, target: endpointChain(recent) });
  });
}

/** A way to an endpoint, or to a chain, and how many endpoints it leads to. */
interface Way {
  readonly heading: readonly [some: string, last: string];
  readonly words: Words;
  readonly weight: number;
}

/** Each way is taken with its share of what is left; the last takes the rest. */
function choose(context: Context, part: Part): readonly Rule[] {
  const ways = waysOf(context, part);
  let left = ways.reduce((sum, { weight }) => sum + weight, 0);
  return ways.map(({ heading: [some, last], words, weight }) => {
    const whole = left;
    left -= weight;
    if (left === 0) return context.fill(CHAIN, last, words);
    return context.fill(CHAIN, some, { ...words, probability: nearestProbability(weight, whole) });
  });
}

function waysOf(context: Context, part: Part): readonly Way[] {
  const { tree } = part;
  if (tree.kind === "leaf") return tree.items.map(({ endpoint }) => wayTo(context, part.chain, endpoint));
  return partsOf(part).map(({ chain: target, tree: below }) => {
    return { heading: BY_CHAIN, words: { chain: part.chain, target }, weight: sizeOf(below) };
  });
}

const BY_CHAIN = ["random-way", "last-way"] as const;
const STRAIGHT = ["random", "last"] as const;

function wayTo({ chainOf, protocol, traffic }: Context, chain: string, endpoint: Endpoint): Way {
  if (traffic.servicePort.affinitySeconds > 0) {
    return { heading: BY_CHAIN, words: { chain, target: endpointChain(chainOf(endpoint)) }, weight: 1 };
  }
  const destination = hostPort(kernelText(endpoint.ip), endpoint.port);
  return { heading: STRAIGHT, words: { chain, protocol, destination }, weight: 1 };
}
