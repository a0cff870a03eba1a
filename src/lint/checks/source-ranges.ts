// Checks for loadBalancerSourceRanges that do not restrict what they seem to restrict.
import type { Check, ServiceCheck } from "../finding.ts";
import { portField } from "../print.ts";

const FIELD = "spec.loadBalancerSourceRanges";

/** Rules filter only on the addresses in status.loadBalancer (chain KUBE-FW-…). */
const sourceRangesBypass: ServiceCheck = {
  id: "source-ranges-bypass",
  severity: "warning",
  *checkService({ manifest, ports }) {
    if (!manifest.sourceRanges.some((range) => range && range.prefix > 0)) return;
    const consequence = "clients outside of the ranges can connect to it";
    const seen = new Set<number>();
    for (const port of ports) {
      const { nodePort } = port.traffic.servicePort;
      if (nodePort === 0 || seen.has(nodePort)) continue;
      seen.add(nodePort);
      yield {
        field: portField(port, "nodePort"),
        message: `loadBalancerSourceRanges do not apply to node port ${nodePort}`,
        consequence,
        remedy: "set allocateLoadBalancerNodePorts to false, or restrict the node port with a firewall",
      };
    }
    for (const [index, address] of manifest.externalIPs.entries()) {
      if (!ports.some(({ traffic }) => traffic.servicePort.externalIPs.includes(address))) continue;
      yield {
        field: `spec.externalIPs[${index}]`,
        message: `loadBalancerSourceRanges do not apply to external IP ${address}`,
        consequence,
        remedy: "remove the external IP, or restrict it with a firewall",
      };
    }
  },
};

const sourceRangesFamily: ServiceCheck = {
  id: "source-ranges-family",
  severity: "error",
  *checkService({ service, manifest, ports }) {
    const ranges = manifest.sourceRanges.flatMap((range) => range ?? []);
    if (ranges.length === 0 || service.type !== "LoadBalancer") return;
    for (const family of new Set(ports.map((port) => port.family))) {
      if (ranges.some((range) => range.family === family)) continue;
      yield {
        field: FIELD,
        message: `no range is ${family}, but the Service has an ${family} cluster IP`,
        consequence: `all ${family} clients can connect to the load balancer's ${family} addresses`,
        remedy: `add the ${family} ranges that may connect`,
      };
    }
  },
};

/** A range of prefix length 0 switches filtering off for its family (`pkg/proxy/serviceport.go`). */
const sourceRangesOpen: ServiceCheck = {
  id: "source-ranges-open",
  severity: "error",
  *checkService({ manifest }) {
    for (const [index, range] of manifest.sourceRanges.entries()) {
      if (range?.prefix !== 0) continue;
      if (!manifest.sourceRanges.some((other) => other?.family === range.family && other.prefix > 0)) continue;
      yield {
        field: `${FIELD}[${index}]`,
        message: `${range.text} is listed beside narrower ranges`,
        consequence: `it disables the filter: all ${range.family} clients can connect`,
        remedy: "remove this range, or the narrower ones",
      };
    }
  },
};

/** Without a load balancer address there is nothing to filter. It may still be assigned if the status is empty. */
const sourceRangesUnused: ServiceCheck = {
  id: "source-ranges-unused",
  severity: "warning",
  *checkService({ service, manifest, ports }) {
    if (ports.length === 0 || manifest.sourceRanges.length === 0 || service.ingressVIPs.length > 0) return;
    const isLoadBalancer = service.type === "LoadBalancer";
    if (isLoadBalancer && manifest.ingress.length === 0) return;
    yield {
      field: FIELD,
      message: isLoadBalancer
        ? "the load balancer has no address with ipMode VIP"
        : `spec.type is ${service.type}, and only addresses of a load balancer are filtered`,
      consequence: "nodes filter nothing: all clients can connect",
      remedy: isLoadBalancer ? "filter on the load balancer" : "remove the ranges, or use type LoadBalancer",
    };
  },
};

const ANNOTATION = "service.beta.kubernetes.io/load-balancer-source-ranges";

const sourceRangesAnnotation: ServiceCheck = {
  id: "source-ranges-annotation",
  severity: "warning",
  *checkService({ manifest, ports }) {
    if (ports.length === 0 || manifest.sourceRanges.length > 0 || !manifest.annotations.has(ANNOTATION)) return;
    yield {
      field: `metadata.annotations["${ANNOTATION}"]`,
      message: `nodes ignore this annotation and read only ${FIELD}`,
      consequence: "all clients can connect to the load balancer's addresses",
      remedy: `move the ranges to ${FIELD}`,
    };
  },
};

export const sourceRangeChecks: readonly Check[] = [
  sourceRangesBypass,
  sourceRangesFamily,
  sourceRangesOpen,
  sourceRangesUnused,
  sourceRangesAnnotation,
];
