// Which sets of IPVS mode would have more entries than the kernel lets them have?
import { printObject } from "../../api/object-name.ts";
import type { ClusterCheck } from "../check.ts";
import type { LintedPort } from "../cluster.ts";

/** `maxelem` of every set that is no plain list of ports. */
const MOST = 65_536;

/** Says it once for each set, of the Service that has the first entry too many. */
export const setSize: ClusterCheck = {
  id: "set-size",
  severity: "error",
  *find({ services, options }) {
    if (options.mode !== "ipvs") return;
    const sets = new Map<string, Set<string>>();
    const full = new Set<string>();
    for (const { service, ports } of services.values()) {
      for (const port of ports) {
        for (const [name, entry] of entriesOf(port)) {
          const entries = sets.get(name) ?? new Set();
          sets.set(name, entries.add(entry));
          if (entries.size <= MOST || full.has(name)) continue;
          full.add(name);
          yield {
            object: printObject(service),
            field: "spec",
            message: `set ${name} has room for ${MOST} entries, and this Service has one more`,
            consequence: "the kernel refuses what is too much: such traffic is not masqueraded, filtered or let in",
          };
        }
      }
    }
  },
};

// The largest ones: sets of local policies and firewalls are parts of these.
function* entriesOf({
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
