// Decides what happens to the traffic of a ServicePort: forward, drop or reject.
import { lean } from "../net/lean-list.ts";
import { type Endpoint, sameEndpoint } from "./endpoint.ts";
import { sameList } from "./sameness.ts";
import { type ServicePort, sameServicePort } from "./service-port.ts";
import { type NodeTopology, selectEndpoints } from "./topology.ts";

/** What happens to a new connection to an address of a kind. */
export type Verdict = "forward" | "reject" | "drop";

/** What happens at the addresses of one kind, and which list of endpoints serves them. */
export interface Answer {
  readonly verdict: Verdict;
  readonly endpoints: "cluster" | "local";
}

/** There are no others. */
const ANSWERS = { forward: answersOf("forward"), reject: answersOf("reject"), drop: answersOf("drop") };

function answersOf(verdict: Verdict): Readonly<Record<Answer["endpoints"], Answer>> {
  return { cluster: { verdict, endpoints: "cluster" }, local: { verdict, endpoints: "local" } };
}

/** One ServicePort with every decision already made. */
export interface ServiceTraffic {
  readonly servicePort: ServicePort;
  /** Endpoints for the Cluster policy; sorted by `ip:port`. */
  readonly cluster: readonly Endpoint[];
  /** Endpoints for the Local policy, all on this node; sorted. */
  readonly local: readonly Endpoint[];
  /** Every endpoint that this node may send to in either way; sorted. */
  readonly reachable: readonly Endpoint[];
  /** Is there a usable endpoint anywhere in the cluster? Tells `has no endpoints` from `has no local endpoints`. */
  readonly usable: boolean;
  /** Traffic to the cluster IP. `endpoints` says which list serves it. */
  readonly internal: Answer;
  /** Traffic from outside to external IPs, load balancer VIPs and nodePorts. */
  readonly external: Answer;
  /** All endpoints known for this port, usable or not: counted for the limit of 1000. */
  readonly known: number;
  /** Only in IPVS mode: those on this node, usable or not, for each may call its own Service; sorted. */
  readonly onNode?: readonly Endpoint[];
}

/** What decisions depend on beside the ServicePort and its endpoints. */
export interface TrafficView extends NodeTopology {
  /** The mode is IPVS, in which endpoints on this node matter whatever their state. */
  readonly ipvs?: true;
}

/** Decides for one ServicePort. `endpoints` are all that are known for it, sorted. */
export function trafficOf(servicePort: ServicePort, endpoints: readonly Endpoint[], view: TrafficView): ServiceTraffic {
  const { cluster, local, reachable, any: usable } = selectEndpoints(endpoints, servicePort, view);
  const answer = (policyLocal: boolean) => {
    const verdict = !usable ? "reject" : policyLocal && local.length === 0 ? "drop" : "forward";
    return ANSWERS[verdict][policyLocal ? "local" : "cluster"];
  };
  const traffic: ServiceTraffic = {
    servicePort,
    cluster,
    local,
    reachable,
    usable,
    internal: answer(servicePort.internalPolicyLocal),
    external: answer(servicePort.externalPolicyLocal),
    known: endpoints.length,
  };
  return view.ipvs ? { ...traffic, onNode: lean(endpoints.filter((endpoint) => endpoint.local)) } : traffic;
}

/** Do both mean the same to the kernel? The answers follow from the rest. */
export function sameTraffic(a: ServiceTraffic, b: ServiceTraffic): boolean {
  return (
    (a.servicePort === b.servicePort || sameServicePort(a.servicePort, b.servicePort)) &&
    a.known === b.known &&
    a.usable === b.usable &&
    sameList(a.cluster, b.cluster, sameEndpoint) &&
    sameList(a.local, b.local, sameEndpoint) &&
    sameList(a.reachable, b.reachable, sameEndpoint) &&
    sameList(a.onNode ?? NONE, b.onNode ?? NONE, sameText)
  );
}

const NONE: readonly Endpoint[] = [];

function sameText(a: Endpoint, b: Endpoint): boolean {
  return a.text === b.text;
}
