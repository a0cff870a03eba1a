// What comes of two ServicePorts that claim the same?
import { printObject } from "../api/object-name.ts";
import type { Claim } from "./claims.ts";
import type { LintOptions } from "./cluster.ts";
import type { ObjectRemark } from "./finding.ts";

/** kube-proxy leaves it to chance who wins. In IPVS mode the last one writes over what the others wrote. */
export function clashRemark(first: Claim, late: Claim, { mode }: LintOptions): ObjectRemark {
  const [one, other] = [first.port.traffic.servicePort.text, late.port.traffic.servicePort.text];
  const winner =
    mode === "ipvs" ? `${other}, the last by name` : `${one}, the first by name, while it has endpoints for them`;
  return {
    object: printObject(late.service.service),
    field: late.field,
    message: `${late.sort} ${late.text} of ${other} is also the ${first.sort} of ${one}`,
    consequence: `only one of the two gets the connections: in fairlead ${winner}; in kube-proxy either, by chance`,
  };
}
