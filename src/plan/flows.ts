// Which UDP flows go where no new flow would go?
import type { FlowEnd, UdpFlow } from "../state/udp-flow.ts";

/** Endpoints (`ip:port`) to which flows to a destination may go; undefined where the destination is none of ours. */
export type EndpointsAt = (destination: FlowEnd) => ReadonlySet<string> | undefined;

/** What flows are held against. */
export interface RightFlows {
  readonly now: EndpointsAt;
  /** As it was when flows were last held against it. */
  readonly before: EndpointsAt;
}

/**
 * The flows to delete, so that their clients' next packets meet the rules anew. The kernel translates only the first
 * packet of a flow; the others follow it for as long as the client keeps sending, wherever that leads.
 * - To a destination of ours, every flow but those to its endpoints: also one that was never translated, because it is
 *   older than the Service or met it without endpoints.
 * - To a destination that was ours and is no longer, only flows that we translated. Any other is somebody else's.
 */
export function staleFlows(flows: readonly UdpFlow[], { now, before }: RightFlows): readonly UdpFlow[] {
  return flows.filter(({ destination, server }) => {
    const right = now(destination);
    if (right) return !right.has(server.text);
    return server.text !== destination.text && (before(destination)?.has(server.text) ?? false);
  });
}
