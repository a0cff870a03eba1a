// Finds the addresses and the node of a Pod, and the Pod that has an address.
import type { EndpointSlice, KubernetesObject } from "../api/objects.ts";
import type { PodName } from "../source/resources.ts";
import type { Sender } from "./trace-places.ts";

export interface FoundPod {
  /** Canonical. */
  readonly addresses: readonly string[];
  /** Empty: not told. */
  readonly nodeName: string;
}

/** The Pods that are named. */
export function podsIn(senders: readonly Sender[]): readonly PodName[] {
  return senders.filter((sender) => sender.kind === "pod");
}

/** As its own object says, or else slices that name it. Undefined where nobody knows it. */
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

/** Who has the address: `namespace/name` of a Pod. Undefined where nobody tells. */
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
export function slicesIn(object: KubernetesObject): readonly EndpointSlice[] {
  if (object.kind === "EndpointSlice") return [object];
  return object.kind === "Endpoints" ? object.slices : [];
}
