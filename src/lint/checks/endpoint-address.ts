// Which endpoints have an address where nobody can answer?

import type { ServiceCheck } from "../check.ts";
import type { LintedCluster } from "../cluster.ts";
import { endpointPlace } from "../endpoint-place.ts";

/** Multicast of both families, and the broadcast address; canonical text, so a prefix of it tells. */
const MANY_HOSTS = /^(22[4-9]\.|23\d\.|ff[0-9a-f]{2}:|255\.255\.255\.255$)/;

/** A connection is translated once: an endpoint cannot be another Service. */
export const endpointAddress: ServiceCheck = {
  id: "endpoint-address",
  severity: "error",
  *find({ slices, ports }, cluster) {
    if (ports.length === 0) return;
    for (const slice of slices) {
      for (const [index, { address }] of slice.endpoints.entries()) {
        const fault = faultOf(address, cluster);
        if (fault) yield { ...endpointPlace(slice, index, cluster), ...fault };
      }
    }
  },
};

function faultOf(address: string, cluster: LintedCluster) {
  const owner = clusterIPsOf(cluster).get(address);
  if (owner !== undefined) {
    const consequence = "a connection is translated once, so nobody answers what is sent there";
    return { message: `${address} is the cluster IP of ${owner}`, consequence };
  }
  if (!MANY_HOSTS.test(address)) return undefined;
  return { message: `${address} is no address of a single host`, consequence: "no connection to it can be made" };
}

const KNOWN = new WeakMap<LintedCluster, ReadonlyMap<string, string>>();

function clusterIPsOf(cluster: LintedCluster): ReadonlyMap<string, string> {
  const known =
    KNOWN.get(cluster) ??
    new Map(
      [...cluster.services].flatMap(([name, { ports }]) =>
        ports.map(({ traffic }) => [traffic.servicePort.clusterIP, name] as const),
      ),
    );
  KNOWN.set(cluster, known);
  return known;
}
