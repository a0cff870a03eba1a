// Finds what an earlier run in another mode or layout left beside rules, and removes it once rules are in place.
import { foreignSetNames } from "../backends/own-sets.ts";
import { findKnownSets } from "../kernel/ipset.ts";
import type { Kernel } from "../kernel/kernel.ts";
import { deviceAddresses, findDevice } from "../kernel/link.ts";
import { forgetSource, preferSource } from "../kernel/local-source.ts";
import { unlessRefused } from "../kernel/refused.ts";
import { tcpSources } from "../kernel/tcp-sources.ts";
import { isLoopback } from "../model/node-ips.ts";
import type { Family } from "../net/family.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import { IpvsRetreat, type OwnConnections } from "../sync/ipvs-retreat.ts";
import type { Log } from "../sync/log.ts";
import { type Observer, together } from "../sync/observer.ts";
import { systemClock } from "../sync/schedule.ts";
import type { Choice } from "./backend.ts";

export interface LeaveIpvs {
  readonly kernel: Kernel;
  /** Those that are served. */
  readonly families: readonly Family[];
  /** The node's own address of IPv4; loopback where none is known. */
  readonly nodeIP: string;
  readonly log: Log;
  /** What this node runs in. */
  readonly choice: Choice;
}

/** What takes it away, to be told of passes. */
export interface Leaving {
  readonly observer: Observer;
  stop(): Promise<void>;
}

export const NOTHING_LEFT: Leaving = { observer: together([]), stop: async () => {} };

/** Does nothing where there is nothing, or nobody may look. In IPVS mode only sets of others can be left. */
export async function leaveIpvs({ kernel, families, nodeIP, log, choice }: LeaveIpvs): Promise<Leaving> {
  const sets = new Map(families.map((family) => [family, foreignSetNames(family, choice)]));
  const device = choice.mode === "ipvs" ? undefined : await unlessRefused(findDevice(), undefined);
  const found = await unlessRefused(findKnownSets([...sets.values()].flat()), []);
  if (!device && found.length === 0) return NOTHING_LEFT;
  const fields = { ...(device && { interface: IPVS_DEVICE }), ...(found.length > 0 && { sets: found.join(",") }) };
  log.info(fields, "Found state of a previous proxy mode; it will be removed after the first sync");
  const own = device ? await ownConnections(device.index, nodeIP) : WITHOUT_DEVICE;
  const retreat = new IpvsRetreat({ kernel, own, sets, device: device && IPVS_DEVICE, clock: systemClock, log });
  const passed: Observer["passed"] = (family, { failure }) => failure === undefined && retreat.served(family);
  return { observer: { ...together([]), passed }, stop: () => retreat.stop() };
}

const WITHOUT_DEVICE: OwnConnections = { sources: tcpSources, gone: async () => {} };

/**
 * Connections that the node itself makes to an address of a Service have that very address as their source while it is on
 * an interface. In iptables mode they would not find back from another node, and end with the address, so that new ones
 * get another source before there is any rule of that mode.
 */
async function ownConnections(index: number, nodeIP: string): Promise<OwnConnections> {
  if (isLoopback(nodeIP)) return WITHOUT_DEVICE;
  const ranges = await unlessRefused(deviceAddresses(index, "IPv4"), []);
  const addresses = ranges.map(({ address }) => address);
  await unlessRefused(preferSource(index, addresses, nodeIP), 0);
  const gone: OwnConnections["gone"] = (unbound) => {
    const changed = unbound.filter((address) => addresses.includes(address));
    return unlessRefused(forgetSource(index, changed), undefined);
  };
  return { sources: tcpSources, gone };
}
