// What does whoever looks after the node hear of the mode that its node proxy starts in?
import type { EventRecorder } from "../source/events.ts";
import type { Log } from "../sync/log.ts";
import type { ChosenMode } from "./mode.ts";

const DEPRECATION =
  "IPVS mode is deprecated in Kubernetes and may go away; nftables mode of kube-proxy is to take its place";

/**
 * A fallback is an Event. Whoever runs kube-proxy in IPVS mode is told at each start that it is deprecated, and looks
 * for it.
 */
export function recordMode(
  { mode, fallback }: Omit<ChosenMode, "options">,
  events: Pick<EventRecorder, "record">,
  log: Log,
): void {
  const start = { type: "Warning", action: "StartKubeProxy" } as const;
  if (fallback) {
    const note = `IPVS mode is not possible on this node, iptables mode serves it: ${fallback.words} (${fallback.part})`;
    events.record({ ...start, reason: "IPVSFallback", note });
  }
  if (mode === "ipvs") {
    log.error({}, DEPRECATION);
    events.record({ ...start, reason: "IPVSDeprecation", note: DEPRECATION });
  }
}
