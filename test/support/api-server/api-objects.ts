// How does a test write an object as it goes over the wire, with only what it is about?
import type { ApiObject } from "./store.ts";

/** Service `ns/<name>` with one TCP port. */
export function rawService(
  name: string,
  { port = 80, ...metadata }: { port?: unknown; [field: string]: unknown } = {},
): ApiObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: "ns", ...metadata },
    spec: { type: "ClusterIP", clusterIP: "10.0.0.1", ports: [{ name: "http", port, protocol: "TCP" }] },
  };
}

/** IPv4 EndpointSlice `ns/<name>` of Service `service` with these endpoints. */
export function rawSlice(
  name: string,
  service: string,
  addresses: readonly string[],
  metadata: object = {},
): ApiObject {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name, namespace: "ns", labels: { "kubernetes.io/service-name": service }, ...metadata },
    addressType: "IPv4",
    ports: [{ name: "http", port: 8080, protocol: "TCP" }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  };
}

export function rawNode(name: string, zone: string): ApiObject {
  const labels = { "topology.kubernetes.io/zone": zone };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, status: {} };
}
