// Which Local policies find no endpoint on this node, or on any?
import { endpointsBehind } from "../../model/ipvs-endpoints.ts";
import type { ServiceCheck } from "../check.ts";
import type { LintedCluster, LintedPort, LintedService } from "../cluster.ts";
import type { Remark } from "../finding.ts";
import { printPorts } from "../words.ts";

type Kind = "internal" | "external";

/** An empty ServicePort is another check's: this one is about endpoints that are elsewhere. */
export const localPolicy: ServiceCheck = {
  id: "local-policy",
  severity: "warning",
  *find(service, cluster) {
    for (const kind of ["internal", "external"] as const) {
      const dropped = service.ports.filter((port) => isDropped(port, kind));
      if (dropped.length > 0) yield* remarkOn(kind, { service, cluster, dropped });
    }
  },
};

interface Dropped {
  readonly service: LintedService;
  readonly cluster: LintedCluster;
  readonly dropped: readonly LintedPort[];
}

function* remarkOn(kind: Kind, { service, cluster, dropped }: Dropped): Generator<Remark> {
  const nowhere = service.slices.every(({ endpoints }) => endpoints.every(({ nodeName }) => nodeName === ""));
  if (!nowhere && cluster.nodeName === "") return;
  const ports = printPorts(dropped);
  const where = nowhere ? "every node" : cluster.nodeName;
  yield {
    field: `spec.${kind}TrafficPolicy`,
    message: nowhere ? `no endpoint of ${ports} says on which node it is` : `no endpoint of ${ports} is on ${where}`,
    consequence: cluster.options.mode === "ipvs" ? consequenceInIpvs(kind, where, dropped) : consequenceOf(kind, where),
  };
}

function isDropped({ traffic }: LintedPort, kind: Kind): boolean {
  return traffic[kind].verdict === "drop" && (kind === "internal" || traffic.servicePort.reachableFromOutside);
}

function consequenceOf(kind: Kind, where: string): string {
  return kind === "internal"
    ? `what pods and programs on ${where} send to the cluster IP is dropped: they wait until they time out`
    : `what comes to ${where} from outside of the cluster is dropped: clients wait until they time out`;
}

// kube-proxy's IPVS mode does not drop.
function consequenceInIpvs(kind: Kind, where: string, dropped: readonly LintedPort[]): string {
  if (dropped.every(({ traffic }) => endpointsBehind(traffic, kind).length === 0))
    return `${where} refuses connections to the cluster IP`;
  const anyway = `${where} sends connections to endpoints on other nodes all the same`;
  return kind === "internal" ? anyway : `${anyway}, unmasqueraded, so that replies may take a way that loses them`;
}
