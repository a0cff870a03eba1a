// Computes the observed state that a desired state would yield, and completes observed states with it.

import { pagedList } from "../paged-list.ts";
import type { DumpPart, MissingPart } from "./dump-part.ts";
import { wholeIpvs } from "./ipvs-whole.ts";
import { type Chain, type IpvsState, type KernelState, TABLES } from "./kernel-state.ts";
import type { ObservedServer, VirtualServer } from "./virtual-server.ts";
import { wholeTable } from "./whole-tables.ts";

type Observed = Extract<IpvsState, { kind: "observed" }>;

/** Every fragment in its place; nobody has counted connections. */
export function carriedOut(state: KernelState): KernelState {
  const { family, sysctls, counters } = state;
  const ipvs = state.ipvs && { ipvs: ipvsOf(state) };
  return { family, observed: true, tables: tablesOf(state), fragments: pagedList(), sysctls, counters, ...ipvs };
}

/** What a dump shows of a state. */
export interface DumpExtent {
  readonly told: ReadonlySet<DumpPart>;
  /** Tables that are missing although others were told of; `tables`: rules of the other iptables backend. */
  readonly missing: readonly MissingPart["part"][];
}

/** What was observed, and the desired state for everything that the dump does not show. */
export function withoutGaps(actual: KernelState, wanted: KernelState, { told, missing }: DumpExtent): KernelState {
  const desired = tablesOf(wanted);
  const unseen = [...desired].filter(([table]) => missing.includes(table));
  const found = actual.ipvs?.kind === "observed" ? actual.ipvs : undefined;
  const held = ipvsOf(wanted);
  return {
    ...actual,
    observed: true,
    tables: told.has("tables") ? new Map([...actual.tables, ...unseen]) : desired,
    sysctls: told.has("sysctls") ? actual.sysctls : wanted.sysctls,
    counters: told.has("counters") ? actual.counters : wanted.counters,
    ipvs: {
      kind: "observed",
      sets: found && told.has("sets") ? found.sets : held.sets,
      servers: found && told.has("servers") ? found.servers : held.servers,
      devices: found && told.has("addresses") ? found.devices : held.devices,
      addresses: found && told.has("addresses") ? found.addresses : held.addresses,
    },
  };
}

function tablesOf(state: KernelState): KernelState["tables"] {
  return new Map(TABLES.map((table) => [table, new Map([...wholeTable(state, table)].map(asFound))]));
}

/** Rules without their origin: the kernel does not keep it. */
function asFound([name, { hold, rules }]: readonly [string, Chain]): readonly [string, Chain] {
  return [name, { name, hold: hold === "built-in" ? hold : "ours", rules: rules.map(({ line }) => ({ line })) }];
}

function ipvsOf(state: KernelState): Observed {
  const { sets, servers, addresses } = wholeIpvs(state);
  const devices = state.ipvs?.devices ?? [];
  return { kind: "observed", sets, servers: servers.map(idle), devices, addresses };
}

/** A virtual server nobody is connected to. */
export function idle(server: VirtualServer): ObservedServer {
  const realServers = server.realServers.map((real) => ({ ...real, activeConnections: 0, inactiveConnections: 0 }));
  return { ...server, realServers };
}
