// What should the kernel hold in iptables mode?
import type { ServiceTraffic } from "../../model/traffic.ts";
import type { Settings, World } from "../../model/world.ts";
import type { Chain, Chains, Fragment, KernelState, Rule, Sysctl, TableName } from "../../state/kernel-state.ts";
import { isOurChain } from "../../state/ownership.ts";
import { targetOf } from "../../state/rule.ts";
import type { Backend } from "../backend.ts";
import { readTemplate, type TemplateTexts } from "../template.ts";
import { CANARY, ensured, filterChains, natChains } from "./chains/fixed.ts";
import { type FillFrom, fillFrom } from "./context.ts";
import { fragmentOf } from "./fragment.ts";

const BUILT_IN: ReadonlyMap<TableName, readonly string[]> = new Map([
  ["filter", ["INPUT", "FORWARD", "OUTPUT"]],
  ["nat", ["PREROUTING", "OUTPUT", "POSTROUTING"]],
]);

/** The mode over these templates. Throws RuleSyntaxError for a template that cannot be read. */
export function iptablesBackend(texts: TemplateTexts): Backend {
  const templates = new Map([...texts].map(([name, text]) => [name, readTemplate(name, text)]));
  const fill = fillFrom(templates);
  const builtIn = new Map(
    [...BUILT_IN].map(([table, chains]) => {
      const jumpsOf = (chain: string) => templates.get(`${table}/${chain}`)?.headings ?? [];
      const rules = (chain: string) => jumpsOf(chain).map((heading) => fill(`${table}/${chain}`, heading));
      return [table, chains.map((name): Chain => ({ name, hold: "built-in", rules: rules(name) }))] as const;
    }),
  );
  const remembered = new WeakMap<Settings, WeakMap<ServiceTraffic, Fragment>>();
  return {
    mode: "iptables",
    jumps: [...builtIn].flatMap(([table, chains]) => chains.flatMap(({ rules }) => ownJumps(table, rules))),
    desired: (world) => desired(world, { fill, builtIn, remembered }),
  };
}

/** Jumps to chains that are shared with others stay when all of ours goes. */
function ownJumps(table: TableName, rules: readonly Rule[]): readonly Rule[] {
  return rules.filter(({ line }) => isOurChain(table, targetOf(line) ?? ""));
}

interface Parts {
  readonly fill: FillFrom;
  readonly builtIn: ReadonlyMap<TableName, readonly Chain[]>;
  readonly remembered: WeakMap<Settings, WeakMap<ServiceTraffic, Fragment>>;
}

function desired(world: World, { fill, builtIn, remembered }: Parts): KernelState {
  const { settings, services } = world;
  const fragments = remembered.get(settings) ?? new WeakMap<ServiceTraffic, Fragment>();
  remembered.set(settings, fragments);
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
      ["filter", byName([...(builtIn.get("filter") ?? []), ...filterChains(fill, settings)])],
      ["mangle", byName([ensured(CANARY)])],
      ["nat", byName([...(builtIn.get("nat") ?? []), ...natChains(fill, world)])],
    ]),
    fragments: services.map(fragmentFor),
    sysctls: sysctlsOf(settings),
    counters: countersOf(settings),
  };
}

function byName(chains: readonly Chain[]): Chains {
  return new Map(chains.map((chain) => [chain.name, chain]));
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
