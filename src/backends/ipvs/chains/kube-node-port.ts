// Which packets to nodePorts does nat KUBE-NODE-PORT have masqueraded, and which does filter KUBE-NODE-PORT let in?
import type { Rule } from "../../../state/kernel-state.ts";
import { type Context, rulesOf, rulesWhereFilled } from "../context.ts";

/** The Local policy first: its ports are in the sets of all nodePorts too. */
export function kubeNodePort(context: Context): readonly Rule[] {
  const filled = rulesWhereFilled(context, "nat/KUBE-NODE-PORT");
  return [
    ...filled("NODE-PORT-LOCAL-TCP", "tcp-local"),
    ...filled("NODE-PORT-TCP", "tcp"),
    ...filled("NODE-PORT-LOCAL-UDP", "udp-local"),
    ...filled("NODE-PORT-UDP", "udp"),
    ...filled("NODE-PORT-LOCAL-SCTP-HASH", "sctp-local"),
    ...filled("NODE-PORT-SCTP-HASH", "sctp"),
  ];
}

/** There whether a health check port is or not. */
export function healthCheckPorts(context: Context): readonly Rule[] {
  return rulesOf(context, "filter/KUBE-NODE-PORT")("HEALTH-CHECK-NODE-PORT", "health-check");
}
