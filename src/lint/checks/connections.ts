// Checks for Services whose connections depend on state with limits in the kernel: client affinity and SCTP.
import type { Check, ServiceCheck } from "../finding.ts";
import { portField } from "../print.ts";

/** Default of the parameter `ip_list_tot` of the kernel module xt_recent: addresses remembered per list. */
const RECENT_LIST_SIZE = 100;

/** IPVS has no such limit, and a single endpoint needs no affinity. */
const affinityMemory: ServiceCheck = {
  id: "affinity-memory",
  severity: "warning",
  *checkService({ service, ports }, { options }) {
    if (options.mode === "ipvs" || service.affinitySeconds === 0) return;
    if (!ports.some(({ traffic }) => traffic.reachable.length > 1)) return;
    yield {
      field: "spec.sessionAffinity",
      message: `session affinity remembers at most ${RECENT_LIST_SIZE} clients per endpoint (ip_list_tot of xt_recent), not all clients of the last ${service.affinitySeconds} s`,
      consequence: `with more than ${RECENT_LIST_SIZE} clients, the client seen least recently is forgotten and may reach another endpoint`,
      remedy: "raise ip_list_tot of the kernel module xt_recent on the nodes, or use IPVS mode",
    };
  },
};

const sctpMultihoming: ServiceCheck = {
  id: "sctp-multihoming",
  severity: "warning",
  *checkService({ service, ports }) {
    for (const port of ports) {
      if (port.traffic.servicePort.protocol !== "SCTP" || port.family !== ports[0]?.family) continue;
      yield {
        field: portField(port, "protocol"),
        message: `SCTP connections to ${service.name} pass network address translation`,
        consequence: "an association has a single path: further addresses inside SCTP packets are not translated",
        remedy: "use a headless Service if clients need SCTP multihoming",
      };
    }
  },
};

export const connectionChecks: readonly Check[] = [affinityMemory, sctpMultihoming];
