// Which rules stand in the kernel whatever the Services are, and which chains have an index?
import type { Settings } from "../../../model/settings.ts";
import type { World } from "../../../model/world.ts";
import type { Chain, Rule } from "../../../state/kernel-state.ts";
import { ours } from "../../chain.ts";
import type { FillFrom } from "../../fill.ts";
import * as compat from "../../iptables/chains/fixed.ts";
import { clusterIPMasquerade } from "../../iptables/cluster-ip-masquerade.ts";
import { addressIndex, type IndexLetter, portIndex } from "../indexes.ts";
import { setName } from "../sets.ts";

/** Chains by name: those of the other layout, some of them with an index or with rules before or behind theirs. */
type Changes = Readonly<Record<string, (chain: Chain) => Chain>>;

export function filterChains(fill: FillFrom, settings: Settings): readonly Chain[] {
  const byAddress = (letter: IndexLetter) => addressIndex({ fill, table: "filter", letter }, settings.family);
  const byPort = (letter: IndexLetter) => portIndex({ fill, table: "filter", letter });
  const changes: Changes = {
    "KUBE-SERVICES": (chain) => ({ ...chain, index: byAddress("S") }),
    "KUBE-EXTERNAL-SERVICES": (chain) => ({
      ...chain,
      index: byAddress("E"),
      last: [fill("filter/KUBE-EXTERNAL-SERVICES", "nodeports")],
    }),
    "KUBE-PROXY-FIREWALL": (chain) => ({ ...chain, index: byAddress("F") }),
    "KUBE-NODEPORTS": (chain) => ({ ...chain, index: byPort("H") }),
    "KUBE-FORWARD": (chain) => ({
      ...chain,
      rules: [...chain.rules, fill("filter/KUBE-FORWARD", "hairpin", { set: setName("LOOP-BACK", settings.family) })],
    }),
  };
  const chains = changed(compat.filterChains(fill, settings), changes);
  return [...chains, { ...ours("KUBE-IX-NODEPORTS", []), index: byPort("N") }];
}

export function natChains(fill: FillFrom, world: World): readonly Chain[] {
  const { settings } = world;
  const { family } = settings;
  const input = { fill, table: "nat" } as const;
  return changed(compat.natChains(fill, world), {
    "KUBE-SERVICES": (chain) => ({
      ...chain,
      rules: masquerade(fill, settings),
      index: addressIndex({ ...input, letter: "S" }, family),
    }),
    "KUBE-NODEPORTS": (chain) => ({ ...chain, index: portIndex({ ...input, letter: "N" }) }),
    "KUBE-POSTROUTING": (chain) => ({
      ...chain,
      rules: [fill("nat/KUBE-POSTROUTING", "hairpin", { set: setName("LOOP-BACK", family) }), ...chain.rules],
    }),
  });
}

function changed(chains: readonly Chain[], changes: Changes): readonly Chain[] {
  return chains.map((chain) => changes[chain.name]?.(chain) ?? chain);
}

/** Cluster IP traffic that does not come from pods. */
function masquerade(fill: FillFrom, settings: Settings): readonly Rule[] {
  const found = clusterIPMasquerade(settings);
  const set = setName("CLUSTER-IP", settings.family);
  return found ? [fill("nat/KUBE-SERVICES", found.heading, { set, ...found.words })] : [];
}
