// What should the kernel hold in iptables mode?

import type { Settings } from "../../model/settings.ts";
import type { ServiceTraffic } from "../../model/traffic.ts";
import type { World } from "../../model/world.ts";
import { mapPages, type Page } from "../../paged-list.ts";
import type { Chain, Chains, Fragment, KernelState, Rule, Sysctl, TableName } from "../../state/kernel-state.ts";
import { isOurChain } from "../../state/ownership.ts";
import { targetOf } from "../../state/rule.ts";
import type { Backend } from "../backend.ts";
import { byName } from "../chain.ts";
import { builtInChains, type FillFrom, fillFrom, readTemplates } from "../fill.ts";
import type { TemplateTexts } from "../template.ts";
import { CANARY, ensured, filterChains, natChains } from "./chains/fixed.ts";
import { fragmentOf } from "./fragment.ts";

/** The built-in chains that have jumps of ours. */
const BUILT_IN = {
  filter: ["INPUT", "FORWARD", "OUTPUT"],
  nat: ["PREROUTING", "OUTPUT", "POSTROUTING"],
} as const;

/** The mode over these templates. Throws RuleSyntaxError for a template that cannot be read. */
export function iptablesBackend(texts: TemplateTexts): Backend {
  const templates = readTemplates(texts);
  const parts = {
    fill: fillFrom(templates),
    filter: builtInChains(templates, "filter", BUILT_IN.filter),
    nat: builtInChains(templates, "nat", BUILT_IN.nat),
    remembered: new WeakMap<Settings, Remembered>(),
  };
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

interface Parts {
  readonly fill: FillFrom;
  /** The built-in chains of each table, with our jumps. */
  readonly filter: readonly Chain[];
  readonly nat: readonly Chain[];
  readonly remembered: WeakMap<Settings, Remembered>;
}

/** Fragments of the same settings. */
interface Remembered {
  readonly pages: WeakMap<Page<ServiceTraffic>, Page<Fragment>>;
  readonly fragments: WeakMap<ServiceTraffic, Fragment>;
}

function desired(world: World, { fill, filter, nat, remembered }: Parts): KernelState {
  const { settings, services } = world;
  const { pages, fragments } = remembered.get(settings) ?? { pages: new WeakMap(), fragments: new WeakMap() };
  remembered.set(settings, { pages, fragments });
  const fragmentFor = (traffic: ServiceTraffic): Fragment => {
    const known = fragments.get(traffic);
    if (known) return known;
    const fragment = fragmentOf(fill, settings, traffic);
    fragments.set(traffic, fragment);
    return fragment;
  };
  return {
    family: settings.family,
    tables: new Map<TableName, Chains>([
      ["filter", byName([...filter, ...filterChains(fill, settings)])],
      ["mangle", byName([ensured(CANARY)])],
      ["nat", byName([...nat, ...natChains(fill, world)])],
    ]),
    fragments: mapPages(services, pages, (page) => page.map(fragmentFor)),
    sysctls: sysctlsOf(settings),
    counters: countersOf(settings),
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
