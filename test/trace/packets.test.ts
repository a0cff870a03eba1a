// Does a walk end where each `packets.yaml` says, in every mode for which it says so?
import t from "tap";
import { clusterNames, readCluster } from "../support/cluster.ts";
import { BACKEND, IPVS_BACKEND } from "../support/templates.ts";
import { limitTime } from "../support/time-limit.ts";
import { expectedVerdict, fieldsOf, totalShare, traceCase, verdictOf } from "../support/traced-cluster.ts";

// A hundred clusters, in two modes.
limitTime(120_000);

for (const name of clusterNames()) {
  t.test(name, async (t) => {
    const cluster = readCluster(name);
    for (const backend of [BACKEND, IPVS_BACKEND]) {
      const fields = await fieldsOf(cluster, backend);
      for (const packet of cluster.cases.filter(({ modes }) => modes.includes(backend.mode))) {
        const trace = traceCase(packet, cluster, fields);
        const { top, bottom } = totalShare(trace.ends);
        t.strictSame(verdictOf(trace, cluster), expectedVerdict(packet, cluster), `${backend.mode}: ${packet.name}`);
        t.equal(top, bottom, "nothing is lost on the way");
      }
    }
  });
}
