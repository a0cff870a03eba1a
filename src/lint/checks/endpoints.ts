// Checks for Services without usable endpoints, and for endpoints that are duplicated or cannot answer.
import { printIdentity } from "../../api/object-name.ts";
import type { EndpointSlice } from "../../api/objects.ts";
import { type LintedCluster, nameOf } from "../cluster.ts";
import type { Check, ObjectFinding, ServiceCheck } from "../finding.ts";
import { printPorts } from "../print.ts";

/** An endpoint receives connections if it is ready, or serving while terminating (KEP-1669). */
const noEndpoints: ServiceCheck = {
  id: "no-endpoints",
  severity: "warning",
  *checkService({ ports, slices }) {
    const field = "spec.ports";
    const consequence = "connections are rejected";
    if (ports.length > 0 && !slices.some(({ endpoints }) => endpoints.length > 0)) {
      const remedy = "check that the selector matches running pods, or add an EndpointSlice";
      yield { field, message: "the Service has no endpoints", consequence, remedy };
    }
    const notReady = ports.filter(({ endpoints }) => {
      return (
        endpoints.length > 0 && !endpoints.some(({ ready, serving, terminating }) => ready || (serving && terminating))
      );
    });
    if (notReady.length === 0) return;
    const remedy = "check the readiness probes of the pods";
    yield { field, message: `no endpoint of ${printPorts(notReady)} is ready`, consequence, remedy };
  },
};

const onlyTerminating: ServiceCheck = {
  id: "only-terminating",
  severity: "warning",
  *checkService({ ports }) {
    const affected = ports.filter(({ endpoints }) => {
      return !endpoints.some(({ ready }) => ready) && endpoints.some((each) => each.serving && each.terminating);
    });
    if (affected.length === 0) return;
    yield {
      field: "spec.ports",
      message: `no endpoint of ${printPorts(affected)} is ready; the serving ones are terminating`,
      consequence: "new connections go to terminating endpoints, ignoring topology hints, until these have stopped",
      remedy: "start new pods before the old ones stop, for example with maxUnavailable: 0",
    };
  },
};

/** The control plane marks all endpoints of such a Service as ready, terminating ones included. */
const publishNotReady: ServiceCheck = {
  id: "publish-not-ready",
  severity: "warning",
  *checkService({ manifest, ports }) {
    if (!manifest.publishNotReadyAddresses || ports.length === 0) return;
    yield {
      field: "spec.publishNotReadyAddresses",
      message: "all pods count as ready, whatever their readiness probes report",
      consequence: "connections go to pods that do not answer yet, or that are terminating",
      remedy: "set the field to false, or use it only on a headless Service for peer discovery",
    };
  },
};

/** Two endpoints are the same if they have the same address and port under one Service port. */
const duplicateEndpoint: ServiceCheck = {
  id: "duplicate-endpoint",
  severity: "warning",
  *checkService({ slices, ports }, cluster) {
    if (ports.length === 0) return;
    const seen = new Set<string>();
    for (const slice of slices) {
      for (const [index, { address }] of slice.endpoints.entries()) {
        const keys = slice.ports.map(({ name, protocol, port }) => `${address} ${name} ${protocol} ${port}`);
        const isDuplicate = keys.some((key) => seen.has(key));
        for (const key of keys) seen.add(key);
        if (!isDuplicate) continue;
        yield {
          ...locateEndpoint(slice, index, cluster),
          message: `${address} is already an endpoint of Service ${slice.namespace}/${slice.service}`,
          consequence:
            "it is used once; if the copies differ, fairlead uses the last non-terminating one by EndpointSlice name, kube-proxy any",
          remedy: "remove the duplicate endpoint",
        };
      }
    }
  },
};

/** Multicast addresses of both families and the broadcast address, in canonical text. */
const MULTICAST_OR_BROADCAST = /^(22[4-9]\.|23\d\.|ff[0-9a-f]{2}:|255\.255\.255\.255$)/;

/** The kernel translates the destination of a connection once, so an endpoint cannot be another Service. */
const endpointAddress: ServiceCheck = {
  id: "endpoint-address",
  severity: "error",
  *checkService({ slices, ports }, cluster) {
    if (ports.length === 0) return;
    for (const slice of slices) {
      for (const [index, { address }] of slice.endpoints.entries()) {
        const problem = problemOfAddress(address, cluster);
        if (problem) yield { ...locateEndpoint(slice, index, cluster), ...problem };
      }
    }
  },
};

function problemOfAddress(address: string, cluster: LintedCluster) {
  const remedy = "use the IP address of a pod or of an external host";
  const owner = clusterIPsOf(cluster).get(address);
  if (owner !== undefined) {
    const consequence = "connections fail: a destination is translated only once, so it does not reach that Service";
    return { message: `${address} is the cluster IP of Service ${owner}`, consequence, remedy };
  }
  if (!MULTICAST_OR_BROADCAST.test(address)) return undefined;
  return {
    message: `${address} is a multicast or broadcast address`,
    consequence: "connections to it cannot be established",
    remedy,
  };
}

const CLUSTER_IPS = new WeakMap<LintedCluster, ReadonlyMap<string, string>>();

/** The Service of each cluster IP, computed once per cluster. */
function clusterIPsOf(cluster: LintedCluster): ReadonlyMap<string, string> {
  const owners =
    CLUSTER_IPS.get(cluster) ??
    new Map(
      [...cluster.services].flatMap(([name, { ports }]) =>
        ports.map(({ traffic }) => [traffic.servicePort.clusterIP, name] as const),
      ),
    );
  CLUSTER_IPS.set(cluster, owners);
  return owners;
}

/** Object and field of the endpoint at this index of the slice. For a mirrored slice, that is the Endpoints object. */
function locateEndpoint(
  slice: EndpointSlice,
  index: number,
  { slices }: Pick<LintedCluster, "slices">,
): Pick<ObjectFinding, "object" | "field"> {
  const { namespace, name, service } = slice;
  const manifest = slices.get(nameOf(slice));
  if (!manifest) return { object: printIdentity({ kind: "Endpoints", namespace, name: service }), field: "subsets" };
  const position = positionInManifest(slice, index, manifest.endpoints);
  return { object: printIdentity({ kind: "EndpointSlice", namespace, name }), field: `endpoints[${position}]` };
}

// Endpoints with invalid addresses are in the manifest but not in the slice, so later ones have a higher position there.
function positionInManifest(
  { endpoints }: EndpointSlice,
  index: number,
  manifest: readonly (readonly string[])[],
): number {
  let next = 0;
  return manifest.findIndex(([address]) => address === endpoints[next]?.address && next++ === index);
}

export const endpointChecks: readonly Check[] = [
  noEndpoints,
  onlyTerminating,
  publishNotReady,
  duplicateEndpoint,
  endpointAddress,
];
