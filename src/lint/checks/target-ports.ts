// Checks that the ports of a Service match the ports of its EndpointSlices.
import { quote } from "../../api/quote.ts";
import type { LintedPort, LintedService } from "../cluster.ts";
import type { Check, ServiceCheck } from "../finding.ts";
import { portField, printPort } from "../print.ts";

const WITHOUT_ENDPOINTS = "the port has no endpoints: connections are rejected";

/** A Service port and an EndpointSlice port belong together by name and protocol, never by number. */
const portWithoutSlicePort: ServiceCheck = {
  id: "port-without-slice-port",
  severity: "error",
  *checkService(service) {
    for (const { port, available } of unmatchedPorts(service)) {
      if (typeof service.manifest.targetPorts[port.index] === "string") continue;
      yield {
        field: portField(port, "name"),
        message: `no ${port.family} EndpointSlice has a port ${printPort(port)}; available: ${available}`,
        consequence: WITHOUT_ENDPOINTS,
        remedy: "use the same name and protocol in the Service and in its EndpointSlices",
      };
    }
  },
};

/** The control plane omits a named target port from EndpointSlices if no container port of the pods has that name. */
const targetPortUnknown: ServiceCheck = {
  id: "target-port-unknown",
  severity: "error",
  *checkService(service) {
    for (const { port, available } of unmatchedPorts(service)) {
      const target = service.manifest.targetPorts[port.index];
      if (typeof target !== "string") continue;
      yield {
        field: portField(port, "targetPort"),
        message: `no pod has a container port named ${quote(target)}: no ${port.family} EndpointSlice has a port ${printPort(port)}; available: ${available}`,
        consequence: WITHOUT_ENDPOINTS,
        remedy: "name a container port of the pods, or use its number",
      };
    }
  },
};

interface UnmatchedPort {
  readonly port: LintedPort;
  /** The ports of the family's EndpointSlices, for people. */
  readonly available: string;
}

/** Yields the Service ports without endpoints although the Service has endpoints in that family. */
function* unmatchedPorts({ ports, slices }: LintedService): Generator<UnmatchedPort> {
  for (const port of ports.filter(({ endpoints }) => endpoints.length === 0)) {
    const own = slices.filter(({ family, endpoints }) => family === port.family && endpoints.length > 0);
    if (own.length === 0) continue;
    const names = own.flatMap((slice) => slice.ports.map(({ name, protocol }) => `${name || '""'}/${protocol}`));
    yield { port, available: [...new Set(names)].join(", ") || "none" };
  }
}

/** Node proxies ignore targetPort: EndpointSlices contain the port numbers. */
const targetPortDiffers: ServiceCheck = {
  id: "target-port-differs",
  severity: "warning",
  *checkService({ manifest, ports }) {
    const seen = new Set<number>();
    for (const port of ports) {
      const target = manifest.targetPorts[port.index];
      const other = port.endpoints.find((endpoint) => endpoint.port !== target);
      if (typeof target !== "number" || !other || seen.has(port.index)) continue;
      seen.add(port.index);
      yield {
        field: portField(port, "targetPort"),
        message: `targetPort is ${target}, but an EndpointSlice has ${other.text}`,
        consequence: "connections go to the port in the EndpointSlice",
        remedy: "use the same port number in the Service and in its EndpointSlices",
      };
    }
  },
};

export const targetPortChecks: readonly Check[] = [portWithoutSlicePort, targetPortUnknown, targetPortDiffers];
