// Which wishes for near endpoints does internalTrafficPolicy make void?
import type { ServiceCheck } from "../check.ts";
import { wishOf } from "../topology-wish.ts";

/** Hints never apply to the endpoints of a Local policy. */
export const localPolicyAndTopology: ServiceCheck = {
  id: "local-policy-and-topology",
  severity: "warning",
  *find({ service, manifest, ports }) {
    const wish = wishOf(manifest);
    if (!wish || ports.length === 0 || service.internalTrafficPolicy !== "Local") return;
    yield {
      field: wish.field,
      message: "internalTrafficPolicy is Local",
      consequence: "connections to the cluster IP never leave their node, so that nearness has no meaning for them",
    };
  },
};
