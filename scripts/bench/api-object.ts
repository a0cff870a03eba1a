// What does an API server say of an object beside what its writer wrote? The daemon has to read that too.
import type { Manifest } from "./cluster.ts";

const NODES = 100;
const ZONES = 3;

/**
 * The members of the object in JSON, without the braces round them, and without kind and version of the API, which an
 * item of a list does not have.
 */
export function printMembers(manifest: Manifest, version: number): string {
  const { apiVersion: _, kind, metadata, endpoints, ...rest } = manifest;
  const told = {
    metadata: kind === "EndpointSlice" ? sliceMetadata(metadata, version) : commonMetadata(metadata, version),
    ...rest,
    ...(endpoints && { endpoints: endpoints.map(dressEndpoint) }),
  };
  return JSON.stringify(told).slice(1, -1);
}

function commonMetadata(metadata: Manifest["metadata"], version: number) {
  return {
    ...metadata,
    uid: uidOf(`${metadata["name"]}`),
    resourceVersion: String(version),
    creationTimestamp: "2025-01-01T00:00:00Z",
    managedFields: [
      {
        manager: "kube-controller-manager",
        operation: "Update",
        apiVersion: "v1",
        time: "2025-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: OWNED,
      },
    ],
  };
}

function sliceMetadata(metadata: Manifest["metadata"], version: number) {
  const name = `${metadata["name"]}`.replace(/-1$/, "");
  const labels = metadata["labels"];
  return {
    ...commonMetadata(metadata, version),
    generateName: `${name}-`,
    generation: version,
    labels: {
      ...(typeof labels === "object" ? labels : {}),
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    },
    annotations: { "endpoints.kubernetes.io/last-change-trigger-time": new Date().toISOString() },
    ownerReferences: [
      { apiVersion: "v1", kind: "Service", name, uid: uidOf(name), controller: true, blockOwnerDeletion: true },
    ],
  };
}

function dressEndpoint(endpoint: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [address] = [endpoint["addresses"]].flat();
  const number = `${address}`.split(".").reduce((sum, part) => (sum * 256 + Number(part)) % 1e9, 0);
  const name = `app-7d4b9c6f5d-${number.toString(36)}`;
  return {
    ...endpoint,
    nodeName: `worker-${number % NODES}`,
    targetRef: { kind: "Pod", namespace: "bench", name, uid: uidOf(name) },
    zone: `zone-${number % ZONES}`,
  };
}

/** As long as a real one, and another for each name. */
function uidOf(name: string): string {
  const digits = Buffer.from(name).toString("hex").slice(-12).padStart(12, "0");
  return `6f1c2d3e-4a5b-4c6d-8e7f-${digits}`;
}

/** Which fields a controller owns: a third of an object, and nobody here wants to know. */
const OWNED = {
  "f:addressType": {},
  "f:endpoints": {},
  "f:metadata": {
    "f:annotations": { ".": {}, "f:endpoints.kubernetes.io/last-change-trigger-time": {} },
    "f:generateName": {},
    "f:labels": {
      ".": {},
      "f:endpointslice.kubernetes.io/managed-by": {},
      "f:kubernetes.io/service-name": {},
    },
    "f:ownerReferences": { ".": {}, 'k:{"uid":"6f1c2d3e-4a5b-4c6d-8e7f-000000000000"}': {} },
  },
  "f:ports": {},
};
