// Resolves what --from names to source addresses.
import { InputError, type Place } from "../errors.ts";
import { isLoopback } from "../model/node-ips.ts";
import { didYouMean } from "../nearest.ts";
import { familyOf } from "../net/address.ts";
import { cidrContains } from "../net/cidr.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import type { Origin } from "../trace/packet.ts";
import type { TraceCluster } from "./trace-cluster.ts";
import type { Sender } from "./trace-places.ts";
import { findPod, podNames } from "./trace-pods.ts";

export interface FoundSender {
  /** For each family in which there is one; undefined: the node chooses one of its own. Canonical. */
  readonly addresses: ReadonlyMap<Family, string | undefined>;
  readonly port?: number;
  /** What one should know of it. */
  readonly notes: readonly string[];
}

/** Stand for any client outside: no network of anybody has them. */
const EXTERNAL: Readonly<Record<Family, readonly string[]>> = {
  IPv4: ["198.18.0.9", "203.0.113.200", "192.0.2.200"],
  IPv6: ["2001:db8:ee::9", "2001:db8:ef::9"],
};

/** Throws InputError where there is no such thing. */
export function findSender(sender: Sender, cluster: TraceCluster, place: Place): FoundSender {
  switch (sender.kind) {
    case "node":
      return { addresses: new Map(FAMILIES.map((family) => [family, undefined])), notes: [] };
    case "external":
      return { addresses: new Map(FAMILIES.map((family) => [family, externalIn(cluster, family)])), notes: [] };
    case "address":
      return { ...sender, addresses: new Map([[familyOf(sender.address), sender.address]]), notes: [] };
    case "pod":
      return findPodSender(sender, cluster, place);
  }
}

/** A process of the node where the address is the node's own; else it comes in by an interface. */
export function originOf(
  source: string | undefined,
  { addresses }: TraceCluster,
  inInterface: string | undefined,
): Origin {
  if (source === undefined) return { kind: "node" };
  if (isLoopback(source) || addresses.some(({ address }) => address === source)) return { kind: "node", source };
  return { kind: "arrives", source, ...(inInterface === undefined ? {} : { inInterface }) };
}

function findPodSender(
  { namespace, name }: Extract<Sender, { kind: "pod" }>,
  { objects, nodeName }: TraceCluster,
  place: Place,
): FoundSender {
  const pod = findPod(objects, { namespace, name });
  if (pod === undefined) {
    const hint = didYouMean(`${namespace}/${name}`, podNames(objects));
    throw new InputError(place, `no Pod "${namespace}/${name}" in the input${hint}`);
  }
  if (pod.addresses.length === 0) throw new InputError(place, `Pod ${namespace}/${name} has no address yet`);
  const elsewhere = pod.nodeName !== "" && nodeName !== "" && pod.nodeName !== nodeName;
  const note = `note: Pod ${namespace}/${name} is on node ${pod.nodeName}, whose rules its packets meet, not those of ${nodeName}`;
  const addresses = pod.addresses.toReversed().map((address) => [familyOf(address), address] as const);
  return { addresses: new Map(addresses), notes: elsewhere ? [note] : [] };
}

function externalIn({ options, node, addresses }: TraceCluster, family: Family): string {
  const inside = [...options.clusterCIDRs, ...node.podCIDRs];
  const isOutside = (address: string) => {
    return !inside.some((cidr) => cidrContains(cidr, address)) && !addresses.some((own) => own.address === address);
  };
  const [first = ""] = EXTERNAL[family];
  return EXTERNAL[family].find(isOutside) ?? first;
}
