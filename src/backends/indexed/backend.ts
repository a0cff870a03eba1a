// What should the kernel hold in iptables mode, in the layout that finds Services by an index?
import type { Settings } from "../../model/settings.ts";
import type { World } from "../../model/world.ts";
import type { Chains, KernelState, TableName } from "../../state/kernel-state.ts";
import type { Backend } from "../backend.ts";
import { byName } from "../chain.ts";
import { countersOf, ownJumps, sysctlsOf } from "../iptables/backend.ts";
import { CANARY, ensured } from "../iptables/chains/fixed.ts";
import { fragmentsOf, type KnownFragments, type ModeParts, modePartsOf, noFragments } from "../mode-parts.ts";
import type { TemplateTexts } from "../template.ts";
import { filterChains, natChains } from "./chains/fixed.ts";
import { fragmentOf } from "./fragment.ts";
import { setsOf } from "./sets.ts";

/** The layout over these templates, its own behind those of Compat. Throws RuleSyntaxError for one that cannot be read. */
export function indexedBackend(texts: TemplateTexts): Backend {
  const parts = { ...modePartsOf(texts), remembered: new WeakMap<Settings, KnownFragments>() };
  return {
    mode: "iptables",
    jumps: [...ownJumps("filter", parts.filter), ...ownJumps("nat", parts.nat)],
    desired: (world) => desired(world, parts),
  };
}

interface Parts extends ModeParts {
  readonly remembered: WeakMap<Settings, KnownFragments>;
}

function desired(world: World, { fill, filter, nat, remembered }: Parts): KernelState {
  const { settings, services } = world;
  const { family } = settings;
  const known = remembered.get(settings) ?? noFragments();
  remembered.set(settings, known);
  return {
    family,
    tables: new Map<TableName, Chains>([
      ["filter", byName([...filter, ...filterChains(fill, settings)])],
      ["mangle", byName([ensured(CANARY)])],
      ["nat", byName([...nat, ...natChains(fill, world)])],
    ]),
    fragments: fragmentsOf(services, known, (traffic) => fragmentOf(fill, settings, traffic)),
    sysctls: sysctlsOf(settings),
    counters: countersOf(settings),
    ipvs: { kind: "wanted", sets: setsOf(family), devices: [], spared: [] },
  };
}
