// Which Services ask for more affinity than a node can remember?
import type { ServiceCheck } from "../check.ts";

/** Clients in one list of the kernel's recent match, unless its parameter ip_list_tot says otherwise. */
const REMEMBERED = 100;

/** IPVS has no such limit, and a single endpoint needs no memory. */
export const affinityMemory: ServiceCheck = {
  id: "affinity-memory",
  severity: "warning",
  *find({ service, ports }, { options }) {
    if (options.mode === "ipvs" || service.affinitySeconds === 0) return;
    if (!ports.some(({ traffic }) => traffic.reachable.length > 1)) return;
    yield {
      field: "spec.sessionAffinity",
      message: `a node remembers ${REMEMBERED} clients of an endpoint (ip_list_tot of xt_recent), not all of the last ${service.affinitySeconds} s`,
      consequence: `the client seen longest ago is forgotten when one more than ${REMEMBERED} comes, and may then get another endpoint`,
    };
  },
};
