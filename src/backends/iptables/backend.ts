// What should the kernel hold in iptables mode?

import type { Settings } from "../../model/settings.ts";
import type { World } from "../../model/world.ts";
import type { Chain, Chains, KernelState, Rule, Sysctl, TableName } from "../../state/kernel-state.ts";
import { isOurChain } from "../../state/ownership.ts";
import { targetOf } from "../../state/rule.ts";
import type { Backend } from "../backend.ts";
import { byName } from "../chain.ts";
import { fragmentsOf, type KnownFragments, type ModeParts, modePartsOf, noFragments } from "../mode-parts.ts";
import type { TemplateTexts } from "../template.ts";
import { CANARY, ensured, filterChains, natChains } from "./chains/fixed.ts";
import { fragmentOf } from "./fragment.ts";

/** The mode over these templates. Throws RuleSyntaxError for a template that cannot be read. */
export function iptablesBackend(texts: TemplateTexts): Backend {
  const parts = { ...modePartsOf(texts), remembered: new WeakMap<Settings, KnownFragments>() };
  return {
    mode: "iptables",
    jumps: [...ownJumps("filter", parts.filter), ...ownJumps("nat", parts.nat)],
    desired: (world) => desired(world, parts),
  };
}

/** Jumps to chains that are shared with others stay when all of ours goes. */
export function ownJumps(table: TableName, chains: readonly Chain[]): readonly Rule[] {
  return chains.flatMap(({ rules }) => rules.filter(({ line }) => isOurChain(table, targetOf(line))));
}

interface Parts extends ModeParts {
  readonly remembered: WeakMap<Settings, KnownFragments>;
}

function desired(world: World, { fill, filter, nat, remembered }: Parts): KernelState {
  const { settings, services } = world;
  const known = remembered.get(settings) ?? noFragments();
  remembered.set(settings, known);
  return {
    family: settings.family,
    tables: new Map<TableName, Chains>([
      ["filter", byName([...filter, ...filterChains(fill, settings)])],
      ["mangle", byName([ensured(CANARY)])],
      ["nat", byName([...nat, ...natChains(fill, world)])],
    ]),
    fragments: fragmentsOf(services, known, (traffic) => fragmentOf(fill, settings, traffic)),
    sysctls: sysctlsOf(settings),
    counters: countersOf(settings),
  };
}

// Without it the kernel drops packets from loopback that leave by another interface, and localhost nodePorts are dead.
export function sysctlsOf({ family, localhostNodePorts }: Settings): readonly Sysctl[] {
  if (family === "IPv6" || !localhostNodePorts) return [];
  return [{ path: "net/ipv4/conf/all/route_localnet", value: "1" }];
}

/** Counters that rules refer to. */
export function countersOf({ counters }: Settings): readonly string[] {
  return [
    ...(counters.invalidDropped ? ["ct_state_invalid_dropped_pkts"] : []),
    ...(counters.localhostNodePorts ? ["localhost_nps_accepted_pkts"] : []),
  ];
}
