// Which Services send connections to pods that are not ready?
import type { ServiceCheck } from "../check.ts";

/** The control plane writes every such endpoint down as ready, terminating ones too. */
export const publishNotReady: ServiceCheck = {
  id: "publish-not-ready",
  severity: "warning",
  *find({ manifest, ports }) {
    if (!manifest.publishNotReadyAddresses || ports.length === 0) return;
    yield {
      field: "spec.publishNotReadyAddresses",
      message: "every pod counts as ready, whatever its probes say",
      consequence: "connections go to pods that do not answer yet, or that are about to end",
    };
  },
};
