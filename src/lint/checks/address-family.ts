// Which addresses are of a family that the Service has no cluster IP of?
import { familyOf } from "../../net/address.ts";
import type { ServiceCheck } from "../check.ts";

/** Rules are written family by family, and only where there is a cluster IP of it. */
export const addressFamily: ServiceCheck = {
  id: "address-family",
  severity: "error",
  *find({ manifest, ports }) {
    const families = new Set(ports.map(({ family }) => family));
    if (families.size === 0) return;
    const named = [
      ...manifest.externalIPs.map((address, index) => ({ address, field: `spec.externalIPs[${index}]` })),
      ...manifest.ingress.map(({ address }, index) => ({ address, field: `status.loadBalancer.ingress[${index}].ip` })),
    ];
    for (const { address, field } of named) {
      const family = familyOf(address);
      if (address === "" || families.has(family)) continue;
      const message = `${address} is an ${family} address, and the Service has no ${family} cluster IP`;
      yield { field, message, consequence: "no rule is written for it: nothing sent there reaches the Service" };
    }
  },
};
