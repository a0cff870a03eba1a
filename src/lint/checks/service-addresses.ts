// Checks for Service addresses that are also addresses of nodes or lie in a pod CIDR.
import { printObject } from "../../api/object-name.ts";
import { parseCidr } from "../../net/cidr.ts";
import type { LintedCluster, LintedService } from "../cluster.ts";
import type { Check, ClusterCheck } from "../finding.ts";
import { clusterIPField, printNumbers } from "../print.ts";

/** Load balancer addresses are not checked: a load balancer that runs on the nodes uses their addresses on purpose. */
const nodeAddress: ClusterCheck = {
  id: "node-address",
  severity: "error",
  *checkCluster(cluster) {
    const owners = ownersOfAddresses(cluster);
    for (const service of cluster.services.values()) {
      for (const { address, source, field } of addressesOf(service)) {
        const owner = owners.get(address);
        if (owner === undefined) continue;
        yield {
          object: printObject(service.service),
          field,
          message: `${source} ${address} is an address of ${owner}`,
          consequence: nodeAddressConsequence(service, { address, owner }, cluster),
          remedy: "use an address that belongs to no node",
        };
      }
    }
  },
};

interface ServiceAddress {
  readonly address: string;
  /** `cluster IP` or `external IP`. */
  readonly source: string;
  readonly field: string;
}

function ownersOfAddresses({ nodes, nodeName, families }: LintedCluster): ReadonlyMap<string, string> {
  const thisNode = nodeName === "" ? "this node" : `node ${nodeName}`;
  return new Map([
    ...families.flatMap(({ addresses }) => addresses.map((address) => [address, thisNode] as const)),
    ...nodes.flatMap(({ name, addresses }) => addresses.map((address) => [address, `node ${name}`] as const)),
  ]);
}

function* addressesOf(service: LintedService): Generator<ServiceAddress> {
  const { manifest, ports } = service;
  for (const address of new Set(ports.map(({ traffic }) => traffic.servicePort.clusterIP))) {
    yield { address, source: "cluster IP", field: clusterIPField(service, address) };
  }
  for (const address of new Set(ports.flatMap(({ traffic }) => traffic.servicePort.externalIPs))) {
    yield { address, source: "external IP", field: `spec.externalIPs[${manifest.externalIPs.indexOf(address)}]` };
  }
}

// In IPVS mode every node that does not have the address binds it to kube-ipvs0.
function nodeAddressConsequence(
  { ports }: LintedService,
  { address, owner }: { readonly address: string; readonly owner: string },
  { options }: LintedCluster,
): string {
  const redirected = `connections to ${address} on ${printNumbers(ports)} go to the Service, not to processes on ${owner}`;
  const bound = `; other nodes bind ${address} to kube-ipvs0 and can no longer reach ${owner} at it`;
  return options.mode === "ipvs" ? `${redirected}${bound}` : redirected;
}

const podRange: ClusterCheck = {
  id: "pod-range",
  severity: "error",
  *checkCluster(cluster) {
    const ranges = podCIDRsOf(cluster);
    for (const service of cluster.services.values()) {
      for (const clusterIP of new Set(service.ports.map(({ traffic }) => traffic.servicePort.clusterIP))) {
        const range = ranges.containing(clusterIP);
        if (range === undefined) continue;
        yield {
          object: printObject(service.service),
          field: clusterIPField(service, clusterIP),
          message: `${clusterIP} is in the pod CIDR ${range}`,
          consequence:
            cluster.options.mode === "ipvs"
              ? "a pod with this address is not reachable on any port: every node binds the address to kube-ipvs0"
              : `a pod with this address is not reachable on ${printNumbers(service.ports)}: connections go to the Service`,
          remedy: "use Service and pod CIDRs that do not overlap",
        };
      }
    }
  },
};

/** Looks up by prefix length, as there may be one pod CIDR per node. */
function podCIDRsOf({ nodes, options }: LintedCluster) {
  const texts = [...options.clusterCIDRs, ...nodes.flatMap(({ podCIDRs }) => podCIDRs)];
  const ranges = new Map(texts.flatMap((text) => parseCidr(text) ?? []).map((cidr) => [cidr.text, cidr]));
  const lengths = new Set([...ranges.values()].map(({ prefix }) => prefix));
  return {
    containing: (address: string) =>
      [...lengths].map((length) => parseCidr(`${address}/${length}`)?.text ?? "").find((text) => ranges.has(text)),
  };
}

export const serviceAddressChecks: readonly Check[] = [nodeAddress, podRange];
