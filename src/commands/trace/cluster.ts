// Reads the cluster and the node that packets are traced in.

import type { EndpointSlice, KubernetesObject, Node, Snapshot } from "../../api/objects.ts";
import type { Backend } from "../../backends/backend.ts";
import { InputError } from "../../errors.ts";
import { isLoopback, type NodeIPs, nodeIPsOf } from "../../model/node-ips.ts";
import { type World, worldOf } from "../../model/world.ts";
import { didYouMean } from "../../nearest.ts";
import type { Family } from "../../net/family.ts";
import type { Options } from "../../options/options.ts";
import type { PodName } from "../../source/resources.ts";
import { Tracker } from "../../source/tracker.ts";
import type { InterfaceAddress, NodeFacts } from "../../state/node-facts.ts";
import { type Ruleset, rulesetOfState } from "../../trace/ruleset.ts";
import { readObjects } from "../input-objects.ts";
import { chooseNode, factsOf, type InputFlags, withGivenIPs } from "../inputs.ts";
import type { Sender } from "./from-to.ts";

export interface TraceCluster {
  readonly problems: readonly InputError[];
  readonly notes: readonly string[];
  readonly passedOver: readonly string[];
  /** Headless Services and Pods too, which no snapshot for a node proxy has. */
  readonly objects: readonly KubernetesObject[];
  /** What was read, for messages. */
  readonly found: string;
  readonly snapshot: Snapshot;
  /** Empty: none is known. */
  readonly nodeName: string;
  readonly node: Node;
  readonly nodeIPs: NodeIPs;
  readonly facts: NodeFacts;
  /** Addresses from the Node object or flags; empty: not known. */
  readonly addresses: readonly InterfaceAddress[];
  readonly families: readonly Family[];
  readonly options: Options;
}

/**
 * Reads all inputs once, of a live cluster's Pods these; no path is no object. Bad ones are among the problems; nothing
 * is thrown for them. Rejects with InputError for a live cluster that cannot be read.
 */
export async function openTraceCluster(flags: InputFlags, pods: readonly PodName[] = []): Promise<TraceCluster> {
  const { objects, problems, passedOver, notes: told, found } = await readObjects(flags, pods);
  const snapshot = Tracker.snapshotOf(objects);
  const { nodeName, notes } = chooseNode(snapshot, flags);
  const node = withGivenIPs(snapshot.nodes.get(nodeName), nodeName, flags.nodeIPs);
  const facts = factsOf(flags, node);
  return {
    problems,
    notes: [...told, ...notes],
    passedOver: passedOver.map(({ place, reason }) => new InputError(place, reason).message),
    objects,
    found,
    snapshot,
    nodeName,
    node,
    nodeIPs: nodeIPsOf(node.addresses, flags.options.bindAddress),
    facts,
    addresses: facts.addresses.filter(({ address }) => !isLoopback(address)),
    families: flags.families.filter((family) => facts.families.includes(family)),
    options: flags.options,
  };
}

/**
 * Why this node's rules cannot be computed: nothing in the input names the node. A name is known from a Node, or from an
 * endpoint or Pod on it. Undefined where it is known.
 */
export function whyUnknownNode({ snapshot, objects, nodeName }: TraceCluster): string | undefined {
  if (snapshot.nodes.has(nodeName)) return undefined;
  const known = new Set([...snapshot.nodes.keys(), ...objects.flatMap(nodeNamesIn)].filter((name) => name !== ""));
  if (known.has(nodeName)) return undefined;
  return `no Node ${JSON.stringify(nodeName)} in the input${didYouMean(nodeName, known)}`;
}

function nodeNamesIn(object: KubernetesObject): readonly string[] {
  if (object.kind === "Pod") return [object.nodeName];
  return slicesIn(object).flatMap(({ endpoints }) => endpoints.map((endpoint) => endpoint.nodeName));
}

/** What the node should do, in one family and mode. */
export function worldIn(cluster: TraceCluster, mode: Backend["mode"], family: Family): World {
  const { snapshot, nodeName, node, facts, options } = cluster;
  return worldOf({ snapshot, nodeName, node, options: { ...options, mode }, facts, family });
}

/** What the node's kernel should hold. */
export function rulesetIn({ facts }: TraceCluster, backend: Backend, world: World): Ruleset {
  return rulesetOfState(backend.desired(world), facts.addresses);
}

interface FoundPod {
  /** Canonical. */
  readonly addresses: readonly string[];
  /** Empty: not told. */
  readonly nodeName: string;
}

/** The Pods that are named. */
export function podsIn(senders: readonly Sender[]): readonly PodName[] {
  return senders.filter((sender) => sender.kind === "pod");
}

/** From the Pod object, or else from EndpointSlices that name it. Undefined if neither exists. */
export function findPod(objects: readonly KubernetesObject[], { namespace, name }: PodName): FoundPod | undefined {
  for (const object of objects) {
    if (object.kind !== "Pod" || object.namespace !== namespace || object.name !== name) continue;
    return { addresses: object.ips, nodeName: object.nodeName };
  }
  const found = objects.flatMap(slicesIn).flatMap(({ endpoints }) => {
    return endpoints.filter(({ pod }) => pod === `${namespace}/${name}`);
  });
  const [first] = found;
  return first && { addresses: [...new Set(found.map(({ address }) => address))], nodeName: first.nodeName };
}

/** `namespace/name` of each Pod that is known by its own object or by an endpoint. */
export function podNames(objects: readonly KubernetesObject[]): ReadonlySet<string> {
  const names = objects.flatMap((object) => {
    if (object.kind === "Pod") return [`${object.namespace}/${object.name}`];
    return slicesIn(object).flatMap(({ endpoints }) => endpoints.map(({ pod }) => pod));
  });
  return new Set(names.filter((name) => name !== ""));
}

/** `namespace/name` of the Pod with this address; undefined if unknown. */
export function podAt(objects: readonly KubernetesObject[], address: string): string | undefined {
  for (const object of objects) {
    if (object.kind === "Pod" && object.ips.includes(address)) return `${object.namespace}/${object.name}`;
    for (const { endpoints } of slicesIn(object)) {
      const pod = endpoints.find((endpoint) => endpoint.address === address)?.pod ?? "";
      if (pod !== "") return pod;
    }
  }
  return undefined;
}

/** The EndpointSlices of an object; Endpoints count as such. */
function slicesIn(object: KubernetesObject): readonly EndpointSlice[] {
  if (object.kind === "EndpointSlice") return [object];
  return object.kind === "Endpoints" ? object.slices : [];
}
