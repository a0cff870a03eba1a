// Checks for topology-aware routing: trafficDistribution, topology annotations and hints in EndpointSlices.
import { printObject } from "../../api/object-name.ts";
import { quote } from "../../api/quote.ts";
import type { ServiceManifest } from "../../api/service-manifest.ts";
import type { LintedCluster, LintedPort } from "../cluster.ts";
import type { Check, ClusterCheck, ServiceCheck } from "../finding.ts";
import { printPorts } from "../print.ts";

const DISTRIBUTION_FIELD = "spec.trafficDistribution";

/** The values for which the control plane writes hints (KEP-3015). */
const DISTRIBUTIONS: readonly string[] = ["PreferClose", "PreferSameZone", "PreferSameNode"];

const ANNOTATIONS = ["service.kubernetes.io/topology-mode", "service.kubernetes.io/topology-aware-hints"];

/** A field that requests topology-aware routing. */
interface TopologyRequest {
  readonly field: string;
  /** The field and its value, for people. */
  readonly text: string;
}

function annotationRequest({ annotations }: ServiceManifest): TopologyRequest | undefined {
  const name = ANNOTATIONS.find((each) => /^[Aa]uto$/.test(annotations.get(each) ?? ""));
  return name === undefined ? undefined : { field: `metadata.annotations["${name}"]`, text: `annotation ${name}` };
}

/** The request that takes effect: the control plane gives annotations precedence over the field. */
function topologyRequest(manifest: ServiceManifest): TopologyRequest | undefined {
  const { trafficDistribution } = manifest;
  const text = `trafficDistribution ${trafficDistribution}`;
  return (
    annotationRequest(manifest) ??
    (DISTRIBUTIONS.includes(trafficDistribution) ? { field: DISTRIBUTION_FIELD, text } : undefined)
  );
}

const trafficDistribution: ServiceCheck = {
  id: "traffic-distribution",
  severity: "error",
  *checkService({ manifest }) {
    const { trafficDistribution: value } = manifest;
    if (value === "" || DISTRIBUTIONS.includes(value)) return;
    yield {
      field: DISTRIBUTION_FIELD,
      message: `unsupported value ${quote(value)}; supported values: ${DISTRIBUTIONS.join(", ")}`,
      consequence: "the API server rejects it; without hints, nodes use the endpoints of all zones",
      remedy: "use a supported value",
    };
  },
};

const topologyAnnotation: ServiceCheck = {
  id: "topology-annotation",
  severity: "warning",
  *checkService({ manifest }) {
    const request = annotationRequest(manifest);
    if (!request || manifest.trafficDistribution === "") return;
    yield {
      field: request.field,
      message: `the annotation takes precedence over ${DISTRIBUTION_FIELD}`,
      consequence:
        "hints follow the annotation: proportional to the CPUs of each zone, or none if endpoints are spread unevenly",
      remedy: "remove the annotation",
    };
  },
};

/** Nodes follow the hints in EndpointSlices, never the fields of the Service. */
const topologyWithoutHints: ServiceCheck = {
  id: "topology-without-hints",
  severity: "warning",
  *checkService({ manifest, ports }) {
    const request = topologyRequest(manifest);
    const withoutHints = ports.filter(({ endpoints, traffic }) => {
      const ready = endpoints.filter((each) => each.ready);
      const hasHints = ready.some(({ zoneHints, nodeHints }) => zoneHints.length > 0 || nodeHints.length > 0);
      return traffic.servicePort.usesCluster && ready.length > 0 && !hasHints;
    });
    if (!request || withoutHints.length === 0) return;
    yield {
      field: request.field,
      message: `${request.text} is set, but no endpoint of ${printPorts(withoutHints)} has hints`,
      consequence: "nodes use the endpoints of all zones",
      remedy: "add hints to the EndpointSlices; in a cluster the EndpointSlice controller writes them",
    };
  },
};

/** Hints do not apply to the endpoints of a Local policy. */
const localPolicyAndTopology: ServiceCheck = {
  id: "local-policy-and-topology",
  severity: "warning",
  *checkService({ service, manifest, ports }) {
    const request = topologyRequest(manifest);
    if (!request || ports.length === 0 || service.internalTrafficPolicy !== "Local") return;
    yield {
      field: request.field,
      message: "internalTrafficPolicy is Local",
      consequence: "connections to the cluster IP use only endpoints on the same node: topology has no effect on them",
      remedy: "remove one of the two settings; trafficDistribution PreferSameNode falls back to other nodes",
    };
  },
};

const hintsIncomplete: ServiceCheck = {
  id: "hints-incomplete",
  severity: "warning",
  *checkService({ ports }) {
    for (const kind of ["zone", "node"] as const) {
      const affected = ports.filter(({ endpoints, traffic }) => {
        const ready = endpoints.filter((each) => each.ready);
        const hinted = ready.filter((each) => each[`${kind}Hints`].length > 0);
        return traffic.servicePort.usesCluster && hinted.length > 0 && hinted.length < ready.length;
      });
      if (affected.length === 0) continue;
      yield {
        field: "spec.ports",
        message: `only some ready endpoints of ${printPorts(affected)} have ${kind} hints`,
        consequence: `all nodes ignore the ${kind} hints: every ready endpoint must have one`,
        remedy: `add ${kind} hints to all endpoints, or to none`,
      };
    }
  },
};

const hintsWithoutZone: ServiceCheck = {
  id: "hints-without-zone",
  severity: "warning",
  *checkService({ ports }, cluster) {
    const hinted = ports.filter((port) => port.traffic.servicePort.usesCluster && hintedZonesOf(port).length > 0);
    if (hinted.length === 0) return;
    for (const zone of zonesOf(cluster)) {
      const affected = hinted.filter((port) => !hintedZonesOf(port).includes(zone));
      if (affected.length === 0) continue;
      yield {
        field: "spec.ports",
        message: `no endpoint of ${printPorts(affected)} has a hint for zone ${zone}`,
        consequence: `nodes in zone ${zone} use the endpoints of all zones`,
        remedy: `add a hint for zone ${zone} to at least one endpoint`,
      };
    }
  },
};

/** The zones in the hints of a port; none if nodes ignore its zone hints or prefer its node hints. */
function hintedZonesOf({ endpoints }: LintedPort): readonly string[] {
  const ready = endpoints.filter((each) => each.ready);
  if (ready.some(({ zoneHints, nodeHints }) => zoneHints.length === 0 || nodeHints.length > 0)) return [];
  return [...new Set(ready.flatMap(({ zoneHints }) => zoneHints))];
}

function zonesOf({ nodes }: LintedCluster): readonly string[] {
  return [...new Set(nodes.map(({ zone }) => zone).filter((zone) => zone !== ""))].sort();
}

const nodeWithoutZone: ClusterCheck = {
  id: "node-without-zone",
  severity: "warning",
  *checkCluster({ nodes, services }) {
    const hasZoneHints = [...services.values()].some(({ ports }) =>
      ports.some(({ endpoints }) => endpoints.some(({ zoneHints }) => zoneHints.length > 0)),
    );
    if (!hasZoneHints) return;
    for (const node of nodes.filter(({ zone }) => zone === "")) {
      yield {
        object: printObject(node),
        field: 'metadata.labels["topology.kubernetes.io/zone"]',
        message: "the Node has no zone label, but EndpointSlices have zone hints",
        consequence: `${node.name} ignores zone hints and uses the endpoints of all zones`,
        remedy: "set the label on the Node",
      };
    }
  },
};

export const topologyChecks: readonly Check[] = [
  trafficDistribution,
  topologyAnnotation,
  topologyWithoutHints,
  localPolicyAndTopology,
  hintsIncomplete,
  hintsWithoutZone,
  nodeWithoutZone,
];
