// What of IPVS mode is wanted, and what is there, in lines that can be held against each other?

import type { IpSet } from "../../src/state/ip-set.ts";
import { realKey, serverKey } from "../../src/state/ipvs-claims.ts";
import { wholeIpvs } from "../../src/state/ipvs-whole.ts";
import type { IpvsState, KernelState } from "../../src/state/kernel-state.ts";
import type { ObservedServer, VirtualServer } from "../../src/state/virtual-server.ts";

type Observed = Extract<IpvsState, { readonly kind: "observed" }>;

/** Sorted. */
export function wantedLines(state: KernelState): readonly string[] {
  const devices = state.ipvs?.devices ?? [];
  return linesOf({ ...wholeIpvs(state), devices });
}

/** Sorted. */
export function foundLines(found: Observed): readonly string[] {
  return linesOf(found);
}

/** What one has and the other lacks, with a sign in front. */
export function differences(found: readonly string[], wanted: readonly string[]): readonly string[] {
  const [there, right] = [new Set(found), new Set(wanted)];
  return [
    ...wanted.filter((line) => !there.has(line)).map((line) => `- ${line}`),
    ...found.filter((line) => !right.has(line)).map((line) => `+ ${line}`),
  ];
}

interface Whole {
  readonly sets: readonly IpSet[];
  readonly servers: readonly (VirtualServer | ObservedServer)[];
  readonly addresses: readonly string[];
  readonly devices: readonly string[];
}

function linesOf({ sets, servers, addresses, devices }: Whole): readonly string[] {
  return [
    ...devices.map((name) => `interface ${name}`),
    ...addresses.map((address) => `address ${address}`),
    ...sets.flatMap(({ name, type, family, entries }) => [
      `set ${name} ${type} ${family}`,
      ...[...entries].map((entry) => `entry ${name} ${entry}`),
    ]),
    ...servers.flatMap(serverLines),
  ].sort();
}

function serverLines(server: VirtualServer | ObservedServer): readonly string[] {
  const { scheduler, schedulerFlags, persistence, otherFlags = 0, realServers } = server;
  return [
    `server ${serverKey(server)} ${scheduler} ${schedulerFlags} ${persistence} ${otherFlags}`,
    ...realServers.map((real) => `real ${realKey(server, real)} ${real.method} weight ${real.weight}`),
  ];
}
