// Selects the endpoints that a node uses: traffic policy, topology hints and terminating endpoints.
import { lean } from "../net/lean-list.ts";
import type { Endpoint } from "./endpoint.ts";

/** Where this node stands. Both are empty when unknown. */
export interface NodeTopology {
  readonly nodeName: string;
  readonly zone: string;
}

/** Which lists a ServicePort asks for. */
export interface Uses {
  readonly usesCluster: boolean;
  readonly usesLocal: boolean;
}

/** The chosen endpoints, each list in the order of the input. */
export interface Selection {
  /** For the Cluster policy. */
  readonly cluster: readonly Endpoint[];
  /** For the Local policy. */
  readonly local: readonly Endpoint[];
  /** All that this node may send to, in either way. */
  readonly reachable: readonly Endpoint[];
  /** Is there a usable endpoint anywhere in the cluster? */
  readonly any: boolean;
}

const NONE = lean<Endpoint>([]);

/** Does the node's position admit this endpoint? */
type Admits = (endpoint: Endpoint) => boolean;

/**
 * Chooses as kube-proxy does: ready endpoints, or where none is ready those that still serve while they terminate,
 * for the Cluster and the Local list apart. Hints narrow only the Cluster list, and only while every ready endpoint
 * has one. An endpoint that serves without being ready or terminating gets nothing.
 */
export function selectEndpoints(endpoints: readonly Endpoint[], uses: Uses, node: NodeTopology): Selection {
  const ready = endpoints.every(isReady) ? endpoints : endpoints.filter(isReady);
  const admits = topologyMode(ready, node);
  const cluster = uses.usesCluster ? chooseCluster(endpoints, ready, admits) : NONE;
  if (!uses.usesLocal) return { cluster, local: NONE, reachable: cluster, any: cluster.length > 0 };
  const local = chooseLocal(endpoints, ready);
  const any = ready.length > 0 || endpoints.some(isDraining);
  if (!uses.usesCluster) return { cluster, local, reachable: local, any };
  const contained = admits === undefined && local.every(isReady);
  return { cluster, local, reachable: contained ? cluster : unite(endpoints, cluster, local), any };
}

function isReady(endpoint: Endpoint): boolean {
  return endpoint.ready;
}

function isDraining(endpoint: Endpoint): boolean {
  return endpoint.serving && endpoint.terminating;
}

function isLocal(endpoint: Endpoint): boolean {
  return endpoint.local;
}

function chooseCluster(
  endpoints: readonly Endpoint[],
  ready: readonly Endpoint[],
  admits: Admits | undefined,
): readonly Endpoint[] {
  if (ready.length === 0) return endpoints.filter(isDraining);
  return admits === undefined ? ready : ready.filter(admits);
}

function chooseLocal(endpoints: readonly Endpoint[], ready: readonly Endpoint[]): readonly Endpoint[] {
  const local = ready.filter(isLocal);
  return local.length > 0 ? local : endpoints.filter((endpoint) => endpoint.local && isDraining(endpoint));
}

// Node hints go before zone hints; either kind counts only if every ready endpoint has it and one points here.
function topologyMode(ready: readonly Endpoint[], node: NodeTopology): Admits | undefined {
  return (
    modeOf(ready, node.nodeName, (endpoint) => endpoint.nodeHints) ??
    modeOf(ready, node.zone, (endpoint) => endpoint.zoneHints)
  );
}

function modeOf(
  ready: readonly Endpoint[],
  here: string,
  hints: (endpoint: Endpoint) => readonly string[],
): Admits | undefined {
  const admits = (endpoint: Endpoint) => hints(endpoint).includes(here);
  if (here === "" || ready.some((endpoint) => hints(endpoint).length === 0)) return undefined;
  return ready.some(admits) ? admits : undefined;
}

function unite(
  endpoints: readonly Endpoint[],
  cluster: readonly Endpoint[],
  local: readonly Endpoint[],
): readonly Endpoint[] {
  const chosen = new Set([...cluster, ...local]);
  return endpoints.filter((endpoint) => chosen.has(endpoint));
}
