// Checks for Services that exceed what long iptables chains or ipsets handle well.
import { printObject } from "../../api/object-name.ts";
import type { LintedPort } from "../cluster.ts";
import type { Check, ClusterCheck, FieldFinding } from "../finding.ts";

/** With more ServicePorts, the last rule of KUBE-SERVICES at least doubles the set-up time of a connection (iptables-nft). */
const MANY_PORTS = 1000;

/** With more endpoints, the endpoint chain of a ServicePort adds half to the set-up time of a connection. */
const MANY_ENDPOINTS = 250;

const REMEDY = "set iptables.layout to Indexed, which finds the rule in a few steps";

/** Reports once per family, on the Service with the first ServicePort above the limit, and on each large Service. */
const layout: ClusterCheck = {
  id: "layout",
  severity: "warning",
  *checkCluster({ services, options }) {
    if (options.mode === "ipvs" || options.iptablesLayout === "Indexed") return;
    const counts = { IPv4: 0, IPv6: 0 };
    for (const { service, ports } of services.values()) {
      for (const port of ports) {
        const hasRule = port.traffic.internal.verdict === "forward";
        if (hasRule) counts[port.family]++;
        if (hasRule && counts[port.family] === MANY_PORTS + 1)
          yield { object: printObject(service), ...manyPorts(port) };
        if (longestEndpointList(port) > MANY_ENDPOINTS) yield { object: printObject(service), ...manyEndpoints(port) };
      }
    }
  },
};

function manyPorts({ family, index }: LintedPort): FieldFinding {
  return {
    field: `spec.ports[${index}]`,
    message: `this is ${family} Service port ${MANY_PORTS + 1} with endpoints; layout Compat has one chain with a rule for each`,
    consequence: "every new connection on the node traverses that chain, also those to no Service",
    remedy: REMEDY,
  };
}

function manyEndpoints(port: LintedPort): FieldFinding {
  return {
    field: `spec.ports[${port.index}]`,
    message: `the Service port has ${longestEndpointList(port)} ${port.family} endpoints in one chain`,
    consequence: "every new connection traverses half of that chain on average",
    remedy: REMEDY,
  };
}

function longestEndpointList({ traffic: { cluster, local } }: LintedPort): number {
  return Math.max(cluster.length, local.length);
}

/** `maxelem` of every hash set of IPVS mode; the bitmap sets of ports cannot overflow. */
const MAX_SET_ENTRIES = 65_536;

/** Reports once per set, on the Service with the first entry above the limit. */
const setSize: ClusterCheck = {
  id: "set-size",
  severity: "error",
  *checkCluster({ services, options }) {
    if (options.mode !== "ipvs") return;
    const sets = new Map<string, Set<string>>();
    const full = new Set<string>();
    for (const { service, ports } of services.values()) {
      for (const port of ports) {
        for (const [name, entry] of setEntriesOf(port)) {
          const entries = sets.get(name) ?? new Set();
          sets.set(name, entries.add(entry));
          if (entries.size <= MAX_SET_ENTRIES || full.has(name)) continue;
          full.add(name);
          yield {
            object: printObject(service),
            field: "spec",
            message: `ipset ${name} holds ${MAX_SET_ENTRIES} entries, and this Service adds one more`,
            consequence:
              "the kernel rejects further entries: their traffic is not masqueraded, not filtered or not accepted",
            remedy: "use iptables mode, or fewer addresses and source ranges",
          };
        }
      }
    }
  },
};

// Only the largest sets: the sets of Local policies and of firewalls are subsets of these.
function* setEntriesOf({
  family,
  traffic: { servicePort, onNode = [] },
}: LintedPort): Generator<readonly [string, string]> {
  const { clusterIP, externalIPs, loadBalancerVIPs, sourceRanges, port, protocol } = servicePort;
  const prefix = family === "IPv4" ? "KUBE-" : "KUBE-6-";
  const setOf = (name: string) => `${prefix}${name}`.slice(0, 31);
  const local = servicePort.externalPolicyLocal ? "-LOCAL" : "";
  yield [setOf("CLUSTER-IP"), `${clusterIP} ${port} ${protocol}`];
  for (const address of [clusterIP, ...externalIPs, ...loadBalancerVIPs]) yield [setOf("IPVS-IPS"), address];
  for (const address of externalIPs) yield [setOf(`EXTERNAL-IP${local}`), `${address} ${port} ${protocol}`];
  for (const address of loadBalancerVIPs) {
    yield [setOf("LOAD-BALANCER"), `${address} ${port} ${protocol}`];
    if (sourceRanges === "everyone") continue;
    for (const range of sourceRanges) {
      yield [setOf("LOAD-BALANCER-SOURCE-CIDR"), `${address} ${port} ${protocol} ${range}`];
    }
  }
  for (const endpoint of onNode) yield [setOf("LOOP-BACK"), `${endpoint.text} ${protocol}`];
}

export const scaleChecks: readonly Check[] = [layout, setSize];
