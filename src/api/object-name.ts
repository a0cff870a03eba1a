// Prints object identities such as `Service shop/cart`, for messages and as map keys.
import type { Kind, KubernetesObject } from "./objects.ts";

/** Kind and identity of an object; `namespace` is empty for kinds that have none. */
export interface ObjectIdentity {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
}

/** `Service shop/cart`, `Node worker-a`: unique among all objects of a cluster that we read. */
export function printIdentity({ kind, namespace, name }: ObjectIdentity): string {
  return namespace === "" ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** What an object is known by. */
export function identify(object: KubernetesObject): ObjectIdentity {
  return { kind: object.kind, namespace: object.kind === "Node" ? "" : object.namespace, name: object.name };
}

/** `printIdentity` of an object that was read. */
export function printObject(object: KubernetesObject): string {
  return printIdentity(identify(object));
}

/** All kinds that are read. */
export const KINDS: readonly Kind[] = ["Service", "EndpointSlice", "Endpoints", "Node", "Pod"];
