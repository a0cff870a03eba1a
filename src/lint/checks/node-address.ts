// Which addresses of Services are a node's own?
import { printObject } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";
import { clusterIPField } from "../claims.ts";
import type { LintedCluster, LintedService } from "../cluster.ts";
import type { ObjectRemark } from "../finding.ts";
import { printNumbers } from "../words.ts";

/** Load balancers that run on the nodes themselves have the nodes' addresses on purpose. */
export const nodeAddress: ClusterCheck = {
  id: "node-address",
  severity: "error",
  *find(cluster) {
    const owners = ownersOf(cluster);
    for (const service of cluster.services.values()) {
      for (const { address, sort, field } of addressesOf(service)) {
        const owner = owners.get(address);
        if (owner !== undefined) yield remarkOn(service, { address, sort, field, owner }, cluster);
      }
    }
  },
};

interface Place {
  readonly address: string;
  readonly sort: string;
  readonly field: string;
}

function ownersOf({ nodes, nodeName, families }: LintedCluster): ReadonlyMap<string, string> {
  const here = nodeName || "this node";
  const own = families.flatMap(({ addresses }) => addresses.map((address) => [address, here] as const));
  return new Map([...own, ...nodes.flatMap(({ name, addresses }) => addresses.map((each) => [each, name] as const))]);
}

function* addressesOf(service: LintedService): Generator<Place> {
  const { manifest, ports } = service;
  for (const address of new Set(ports.map(({ traffic }) => traffic.servicePort.clusterIP))) {
    yield { address, sort: "cluster IP", field: clusterIPField(service, address) };
  }
  for (const address of new Set(ports.flatMap(({ traffic }) => traffic.servicePort.externalIPs))) {
    yield { address, sort: "external IP", field: `spec.externalIPs[${manifest.externalIPs.indexOf(address)}]` };
  }
}

// In IPVS mode the address is put on an interface of every node that does not have it.
function remarkOn(
  { service, ports }: LintedService,
  { address, sort, field, owner }: Place & { readonly owner: string },
  { options }: LintedCluster,
): ObjectRemark {
  const taken = `connections to ${address} at ${printNumbers(ports)} go to the Service, whatever listens there on ${owner}`;
  const bound = `; other nodes take ${address} for their own, and nothing on them reaches ${owner} at it any more`;
  return {
    object: printObject(service),
    field,
    message: `${sort} ${address} is an address of ${owner}`,
    consequence: options.mode === "ipvs" ? `${taken}${bound}` : taken,
  };
}
