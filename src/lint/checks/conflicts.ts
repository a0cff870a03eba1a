// Checks for two Services that use the same address and port, node port or health check port.
import { printObject } from "../../api/object-name.ts";
import { type LintedCluster, type LintedPort, type LintedService, type LintOptions, nameOf } from "../cluster.ts";
import type { Check, ClusterCheck, ObjectFinding } from "../finding.ts";
import { clusterIPField, portField } from "../print.ts";

const addressConflict: ClusterCheck = {
  id: "address-conflict",
  severity: "error",
  *checkCluster(cluster) {
    for (const [first, later] of conflictsAmong(addressesOf(cluster)))
      yield conflictFinding(first, later, cluster.options);
  },
};

const nodePortConflict: ClusterCheck = {
  id: "node-port-conflict",
  severity: "error",
  *checkCluster(cluster) {
    for (const [first, later] of conflictsAmong(nodePortsOf(cluster)))
      yield conflictFinding(first, later, cluster.options);
  },
};

/**
 * An external IP or load balancer address that is the cluster IP of another Service. Where both use the same port too,
 * it is an `address-conflict`. Compare CVE-2020-8554.
 */
const foreignClusterIP: ClusterCheck = {
  id: "foreign-cluster-ip",
  severity: "error",
  *checkCluster(cluster) {
    const owners = new Map<string, string>();
    const used = new Set<string>();
    for (const { service, address, text, source } of addressesOf(cluster)) {
      if (source !== "cluster IP") continue;
      owners.set(address, nameOf(service.service));
      used.add(text);
    }
    for (const { service, address, text, source, field } of addressesOf(cluster)) {
      const owner = owners.get(address);
      if (owner === undefined || owner === nameOf(service.service) || used.has(text)) continue;
      yield {
        object: printObject(service.service),
        field,
        message: `${source} ${address} is the cluster IP of Service ${owner}`,
        consequence: `connections to ${text} go to this Service`,
        remedy: "use an address outside of the Service CIDR",
      };
    }
  },
};

const HEALTH_PORT_CONSEQUENCES = {
  "node port": "health checks of the load balancer go to the endpoints of that Service",
  "health check port": "health checks of the load balancer are answered for only one of the two Services",
};

/** Node ports are translated before a local server sees the packet, and only one server can listen on a port. */
const healthPortConflict: ClusterCheck = {
  id: "health-port-conflict",
  severity: "error",
  *checkCluster({ services }) {
    const owners = new Map<number, { readonly name: string; readonly source: keyof typeof HEALTH_PORT_CONSEQUENCES }>();
    for (const { service, ports } of services.values()) {
      for (const { traffic } of ports) {
        const { nodePort, protocol } = traffic.servicePort;
        if (protocol === "TCP") owners.set(nodePort, { name: nameOf(service), source: "node port" });
      }
    }
    for (const { service, ports } of services.values()) {
      const number =
        ports.find(({ traffic }) => traffic.servicePort.healthCheckNodePort !== 0) && service.healthCheckNodePort;
      if (!number) continue;
      const owner = owners.get(number);
      owners.set(number, owner ?? { name: nameOf(service), source: "health check port" });
      if (!owner) continue;
      yield {
        object: printObject(service),
        field: "spec.healthCheckNodePort",
        message: `port ${number} is also the ${owner.source} of Service ${owner.name}`,
        consequence: HEALTH_PORT_CONSEQUENCES[owner.source],
        remedy: "use another port, or omit the field so that the API server allocates one",
      };
    }
  },
};

export const conflictChecks: readonly Check[] = [
  addressConflict,
  nodePortConflict,
  foreignClusterIP,
  healthPortConflict,
];

/** One address or node port of one ServicePort. */
interface PortAddress {
  readonly service: LintedService;
  readonly port: LintedPort;
  /** Empty for a node port, which is served on many addresses. */
  readonly address: string;
  /** Address, port and protocol, such as `10.0.0.1:80/TCP`. */
  readonly text: string;
  /** `cluster IP`, `external IP`, `load balancer address` or `node port`. */
  readonly source: string;
  readonly field: string;
}

function* addressesOf({ services }: LintedCluster): Generator<PortAddress> {
  for (const service of services.values()) {
    for (const port of service.ports) yield* addressesOfPort(service, port);
  }
}

function* addressesOfPort(service: LintedService, port: LintedPort): Generator<PortAddress> {
  const { clusterIP, externalIPs, loadBalancerVIPs, port: number, protocol } = port.traffic.servicePort;
  const { manifest } = service;
  const portAddress = (address: string, source: string, field: string): PortAddress => {
    const host = address.includes(":") ? `[${address}]` : address;
    return { service, port, address, text: `${host}:${number}/${protocol}`, source, field };
  };
  yield portAddress(clusterIP, "cluster IP", clusterIPField(service, clusterIP));
  for (const address of externalIPs) {
    yield portAddress(address, "external IP", `spec.externalIPs[${manifest.externalIPs.indexOf(address)}]`);
  }
  for (const address of loadBalancerVIPs) {
    const index = manifest.ingress.findIndex((entry) => entry.address === address);
    yield portAddress(address, "load balancer address", `status.loadBalancer.ingress[${index}].ip`);
  }
}

function* nodePortsOf({ services }: LintedCluster): Generator<PortAddress> {
  for (const service of services.values()) {
    for (const port of service.ports) {
      const { nodePort, protocol } = port.traffic.servicePort;
      const text = `${nodePort}/${protocol}`;
      if (nodePort !== 0)
        yield { service, port, address: "", text, source: "node port", field: portField(port, "nodePort") };
    }
  }
}

/** Yields each conflict of two ServicePorts, once for both families: the first user of the address, and the later one. */
function* conflictsAmong(
  addresses: Iterable<PortAddress>,
): Generator<readonly [first: PortAddress, later: PortAddress]> {
  const firstUsers = new Map<string, PortAddress>();
  const reported = new Set<string>();
  for (const each of addresses) {
    const key = `${each.port.family} ${each.text}`;
    const first = firstUsers.get(key) ?? each;
    firstUsers.set(key, first);
    const conflict = `${first.port.traffic.servicePort.text} ${each.port.traffic.servicePort.text} ${each.text}`;
    if (first.port === each.port || reported.has(conflict)) continue;
    reported.add(conflict);
    yield [first, each];
  }
}

/** In kube-proxy the winner depends on map order. In IPVS mode the last ServicePort overwrites the virtual server. */
function conflictFinding(first: PortAddress, later: PortAddress, { mode }: LintOptions): ObjectFinding {
  const [one, other] = [first.port.traffic.servicePort.text, later.port.traffic.servicePort.text];
  const winner =
    mode === "ipvs" ? `${other}, the last by name` : `${one}, the first by name, as long as it has endpoints`;
  return {
    object: printObject(later.service.service),
    field: later.field,
    message: `${later.source} ${later.text} of ${other} is also the ${first.source} of ${one}`,
    consequence: `only one of the two receives the connections: with fairlead ${winner}; with kube-proxy either one`,
    remedy: "change the address or the port of one of the two Services",
  };
}
