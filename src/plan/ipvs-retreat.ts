// How does IPVS mode leave a node that another mode serves now, without breaking a connection?
import { PROTOCOL_NUMBERS, PROTOCOLS } from "../net/protocol.ts";
import { serverKey } from "../state/ipvs-claims.ts";
import type { IpvsState } from "../state/kernel-state.ts";
import { parseEntry } from "../state/set-entry.ts";
import type { ObservedServer, ServerIdentity } from "../state/virtual-server.ts";
import type { IpvsStep } from "./plan.ts";

type Observed = Extract<IpvsState, { kind: "observed" }>;

/** What can be done now. */
export interface Retreat {
  readonly steps: readonly IpvsStep[];
  /** What still has connections: keys of virtual servers of ours, and addresses of the mode's interface. */
  readonly waiting: readonly string[];
  /**
   * Virtual servers that are asked for datagrams. Nothing tells when such a flow has ended, so none is waited for: what
   * the kernel remembers of them is to be deleted before the steps, and their next packets meet the other mode's rules.
   */
  readonly datagrams: readonly ServerIdentity[];
}

/**
 * New connections meet the other mode's rules before they reach a local address, so virtual servers are only needed for
 * what they serve already: one without connections goes, and its address before it, so that packets of the node itself
 * have that address as their source no longer. A connection of the node itself that has it already, through whichever
 * mode, would end with it: `sources` are the addresses that its connections have; "all" waits for none of any kind. Virtual servers that are neither at an address of the mode's interface nor at one of its nodePorts are
 * somebody else's.
 */
export function planRetreat(found: Observed, device: string, sources: ReadonlySet<string> | "all"): Retreat {
  const bound = new Set(found.addresses);
  const isNodePort = nodePortTest(found);
  const ours = found.servers.filter((server) => bound.has(server.address) || isNodePort(server));
  const waiting = sources === "all" ? [] : ours.filter(isBusy).filter(({ protocol }) => protocol !== "UDP");
  const busy = new Set(waiting.map(({ address }) => address));
  const used = sources === "all" ? [] : found.addresses.filter((address) => sources.has(address));
  const unbind = found.addresses.filter((address) => !busy.has(address) && !used.includes(address));
  const go = ours.filter((server) => !waiting.includes(server));
  const steps: readonly (IpvsStep | false)[] = [
    unbind.length > 0 && { kind: "unbind", device, addresses: unbind },
    go.length > 0 && { kind: "servers", changes: go.map((server) => ({ kind: "remove-server", server })) },
  ];
  return {
    steps: steps.filter((step) => step !== false),
    waiting: [...waiting.map(serverKey), ...used],
    datagrams: ours.filter(({ protocol }) => protocol === "UDP"),
  };
}

/** What remains when no virtual server does: the sets, which no rule refers to any more, and the interface. */
export function lastSteps(found: Observed, device: string): readonly IpvsStep[] {
  const sets = found.sets.map(({ name }) => ({ kind: "destroy", name }) as const);
  const steps: readonly (IpvsStep | false)[] = [
    found.devices.length > 0 && { kind: "remove-device", name: device },
    sets.length > 0 && { kind: "sets", changes: sets },
  ];
  return steps.filter((step) => step !== false);
}

function isBusy({ realServers }: ObservedServer): boolean {
  return realServers.some((real) => real.activeConnections + real.inactiveConnections > 0);
}

/** By the sets of nodePorts: of bare ports for a protocol, or of addresses with ports. */
function nodePortTest({ sets }: Observed): (server: ObservedServer) => boolean {
  const places = new Set<string>();
  for (const set of sets.filter(({ name }) => name.includes("-NODE-PORT-"))) {
    const named = PROTOCOLS.find((protocol) => set.name.endsWith(`-${protocol}`));
    for (const text of set.entries) {
      const { address, protocol, port } = parseEntry(set, text) ?? {};
      const entered = PROTOCOLS.find((each) => PROTOCOL_NUMBERS[each] === protocol);
      places.add(address === undefined ? `${named} ${port}` : `${entered} ${address} ${port}`);
    }
  }
  return ({ address, port, protocol }) =>
    places.has(`${protocol} ${port}`) || places.has(`${protocol} ${address} ${port}`);
}
