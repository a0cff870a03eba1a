// Compares one virtual server with the desired one.
import { cidrContains } from "../net/cidr.ts";
import type { IpvsState } from "../state/kernel-state.ts";
import type { ServerSettings } from "../state/server-change.ts";
import type { VirtualServer } from "../state/virtual-server.ts";
import { diffRealServers, type RealServerChanges, type RealServerPair } from "./real-servers.ts";

/** A virtual server as it should be, and as it is, if it is there. */
export interface ServerPair extends Pick<RealServerPair, "wanted" | "mend" | "left"> {
  readonly actual: (ServerSettings & { readonly realServers: RealServerPair["actual"] }) | undefined;
}

/** The server itself comes before its real servers. */
export function diffServer({ wanted, actual, ...rules }: ServerPair): RealServerChanges {
  const { changes, ...rest } = diffRealServers({ wanted, actual: actual?.realServers ?? [], ...rules });
  const own = settingsChange(wanted, actual);
  return { changes: own ? [own, ...changes] : changes, ...rest };
}

/** Are virtual servers at this address left alone, whoever made them? */
export function isSpared(address: string, { spared }: Extract<IpvsState, { kind: "wanted" }>): boolean {
  return spared.some((range) => cidrContains(range, address));
}

/** How the virtual server itself comes to be as wanted; undefined where it is. */
export function settingsChange(wanted: VirtualServer, actual: ServerSettings | undefined) {
  const { realServers: _, ...server } = wanted;
  if (!actual) return { kind: "add-server", server } as const;
  return sameSettings(server, actual) ? undefined : ({ kind: "set-server", server } as const);
}

function sameSettings(a: ServerSettings, b: ServerSettings): boolean {
  return (
    a.scheduler === b.scheduler &&
    a.schedulerFlags === b.schedulerFlags &&
    a.persistence === b.persistence &&
    (a.otherFlags ?? 0) === (b.otherFlags ?? 0)
  );
}
