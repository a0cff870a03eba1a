// Compares the traced outcomes of example clusters with their packets.yaml, in every mode and layout.
import t from "tap";
import { clusterNames, readCluster } from "../support/cluster.ts";
import { BACKEND, INDEXED_BACKEND, IPVS_BACKEND } from "../support/templates.ts";
import { limitTime } from "../support/time-limit.ts";
import { expectedVerdict, fieldsOf, totalShare, traceCase, verdictOf } from "../support/traced-cluster.ts";

const LAYOUTS = [
  ["iptables", BACKEND],
  ["Indexed", INDEXED_BACKEND],
  ["ipvs", IPVS_BACKEND],
] as const;

// A hundred clusters, in two modes, one of which has two layouts.
limitTime(120_000);

for (const name of clusterNames()) {
  t.test(name, async (t) => {
    const cluster = readCluster(name);
    for (const [layout, backend] of LAYOUTS) {
      const fields = await fieldsOf(cluster, backend);
      for (const packet of cluster.cases.filter(({ modes }) => modes.includes(backend.mode))) {
        const trace = traceCase(packet, cluster, fields);
        const { top, bottom } = totalShare(trace.outcomes);
        t.strictSame(verdictOf(trace, cluster), expectedVerdict(packet, cluster), `${layout}: ${packet.name}`);
        t.equal(top, bottom, "nothing is lost on the way");
      }
    }
  });
}
