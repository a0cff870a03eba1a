// Whom does a load balancer VIP admit?
import type { ServicePort } from "../../model/service-port.ts";
import { cidrContains } from "../../net/cidr.ts";

/** May this node itself come? Where everyone may it is not asked. */
export function admitsNode({ sourceRanges }: ServicePort, nodeIP: string): boolean {
  return sourceRanges === "everyone" || sourceRanges.some((range) => cidrContains(range, nodeIP));
}
