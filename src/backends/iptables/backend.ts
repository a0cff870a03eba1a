// What should the kernel hold in iptables mode?

import type { Settings } from "../../model/settings.ts";
import type { World } from "../../model/world.ts";
import type { Family } from "../../net/family.ts";
import type { SetHeader } from "../../state/ip-set.ts";
import {
  byName,
  type Chain,
  type Chains,
  type KernelState,
  type Rule,
  type Sysctl,
  type TableName,
} from "../../state/kernel-state.ts";
import { isOurChain } from "../../state/ownership.ts";
import { targetOf } from "../../state/rule.ts";
import type { Backend } from "../backend.ts";
import type { FillFrom } from "../fill.ts";
import type { Writing } from "../fragment.ts";
import { fragmentsOf, type KnownFragments, type ModeParts, modePartsOf, noFragments } from "../mode-parts.ts";
import type { TemplateTexts } from "../template.ts";
import { CANARY, ensured, filterChains, natChains } from "./chains/fixed.ts";
import { writingOf } from "./fragment.ts";

/** What one layout of the mode has in its own way. */
export interface Layout {
  readonly filterChains: (fill: FillFrom, settings: Settings) => readonly Chain[];
  readonly natChains: (fill: FillFrom, world: World) => readonly Chain[];
  readonly writingOf: (fill: FillFrom, settings: Settings) => Writing;
  /** Absent: none. */
  readonly setsOf?: (family: Family) => readonly SetHeader[];
}

/** kube-proxy's own. */
const COMPAT: Layout = { filterChains, natChains, writingOf };

/** The mode over these templates. Throws RuleSyntaxError for a template that cannot be read. */
export function iptablesBackend(texts: TemplateTexts, layout: Layout = COMPAT): Backend {
  const parts = { ...modePartsOf(texts), layout, remembered: new WeakMap<Settings, KnownFragments>() };
  return {
    mode: "iptables",
    jumps: [...ownJumps("filter", parts.filter), ...ownJumps("nat", parts.nat)],
    desired: (world) => desired(world, parts),
  };
}

/** Jumps to chains that are shared with others stay when all of ours goes. */
function ownJumps(table: TableName, chains: readonly Chain[]): readonly Rule[] {
  return chains.flatMap(({ rules }) => rules.filter(({ line }) => isOurChain(table, targetOf(line))));
}

interface Parts extends ModeParts {
  readonly layout: Layout;
  readonly remembered: WeakMap<Settings, KnownFragments>;
}

function desired(world: World, { fill, filter, nat, layout, remembered }: Parts): KernelState {
  const { settings, services } = world;
  const { family } = settings;
  const known = remembered.get(settings) ?? noFragments(layout.writingOf(fill, settings));
  remembered.set(settings, known);
  const sets = layout.setsOf?.(family);
  return {
    family,
    tables: new Map<TableName, Chains>([
      ["filter", byName([...filter, ...layout.filterChains(fill, settings)])],
      ["mangle", byName([ensured(CANARY)])],
      ["nat", byName([...nat, ...layout.natChains(fill, world)])],
    ]),
    fragments: fragmentsOf(services, known),
    sysctls: sysctlsOf(settings),
    counters: countersOf(settings),
    ...(sets && { ipvs: { kind: "wanted", sets, devices: [], spared: [] } }),
  };
}

// Without it the kernel drops packets from loopback that leave by another interface, and localhost nodePorts are dead.
function sysctlsOf({ family, localhostNodePorts }: Settings): readonly Sysctl[] {
  if (family === "IPv6" || !localhostNodePorts) return [];
  return [{ path: "net/ipv4/conf/all/route_localnet", value: "1" }];
}

function countersOf({ counters }: Settings): readonly string[] {
  return [
    ...(counters.invalidDropped ? ["ct_state_invalid_dropped_pkts"] : []),
    ...(counters.localhostNodePorts ? ["localhost_nps_accepted_pkts"] : []),
  ];
}
