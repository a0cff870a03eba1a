// Which states are drawn in tests?
import { join } from "node:path";
import type { Service } from "../../src/api/objects.ts";
import { worldOf } from "../../src/model/world.ts";
import type { KernelState } from "../../src/state/kernel-state.ts";
import {
  buildEndpoint,
  buildFacts,
  buildOptions,
  buildPort,
  buildRecord,
  buildService,
  buildSlice,
  buildSnapshot,
} from "./build.ts";
import { FIXTURES } from "./golden.ts";
import { BACKEND, INDEXED_BACKEND, IPVS_BACKEND } from "./templates.ts";
import { wantedCluster } from "./wanted.ts";

/** Both families of a cluster of the fixtures. */
export async function fixtureStates(name: string): Promise<readonly KernelState[]> {
  const { wanted } = await wantedCluster(join(FIXTURES, "clusters", name), name);
  return [wanted("IPv4"), wanted("IPv6")];
}

/** The cluster with many Services, in IPv4 and in the layout that has an index for them. */
export async function wideState(): Promise<KernelState> {
  const { wanted } = await wantedCluster(join(FIXTURES, "wide"), "wide", "cluster.yaml", INDEXED_BACKEND);
  return wanted("IPv4");
}

const BACKENDS = { iptables: BACKEND, indexed: INDEXED_BACKEND, ipvs: IPVS_BACKEND };

/** One Service with so many ready endpoints on this node, a nodePort, an external IP and a load balancer's address. */
export function crowdState(
  count: number,
  kind: keyof typeof BACKENDS = "iptables",
  given: Partial<Service> = {},
): KernelState {
  const backend = BACKENDS[kind];
  const service = buildService({
    namespace: "shop",
    name: "cart",
    type: "LoadBalancer",
    clusterIP: "10.96.8.20",
    ports: [buildPort({ nodePort: 31_080 })],
    externalIPs: ["198.51.100.20"],
    ingressVIPs: ["203.0.113.20"],
    ...given,
  });
  const addresses = Array.from({ length: count }, (_, index) => `10.244.${index >> 8}.${index & 255}`);
  const endpoints = addresses.map((address, index) => buildEndpoint(address, { nodeName: index < 3 ? "n1" : "n2" }));
  const slice = buildSlice(endpoints, { namespace: "shop", name: "cart-1", service: "cart" });
  const world = worldOf({
    snapshot: buildSnapshot([buildRecord(service, slice)]),
    nodeName: "n1",
    options: buildOptions({ mode: backend.mode, clusterCIDRs: ["10.244.0.0/16"] }),
    facts: buildFacts(),
    family: "IPv4",
  });
  return backend.desired(world);
}
