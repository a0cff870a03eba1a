// What does one ServicePort need in the kernel?

import type { ServiceTraffic } from "../../model/traffic.ts";
import type { Settings } from "../../model/world.ts";
import type { Chain, Fragment, Rule, TableFragment, TableName } from "../../state/kernel-state.ts";
import { kubeExt } from "./chains/kube-ext.ts";
import { kubeExternalServices } from "./chains/kube-external-services.ts";
import { kubeFw } from "./chains/kube-fw.ts";
import { healthCheckPort, kubeNodePorts } from "./chains/kube-nodeports.ts";
import { kubeProxyFirewall } from "./chains/kube-proxy-firewall.ts";
import { kubeSep } from "./chains/kube-sep.ts";
import { kubeServices } from "./chains/kube-services.ts";
import { kubeServicesFilter } from "./chains/kube-services-filter.ts";
import { kubeSvc, kubeSvl } from "./chains/kube-svc.ts";
import { type Context, contextOf, type FillFrom } from "./context.ts";

/** The fragment of one ServicePort; it keeps nothing but what it is made of. */
export function fragmentOf(fill: FillFrom, settings: Settings, traffic: ServiceTraffic): Fragment {
  const { text, protocol } = traffic.servicePort;
  return { key: `${text}/${protocol}`, part: (table) => partOf(contextOf(fill, settings, traffic), table) };
}

function partOf(context: Context, table: TableName): TableFragment {
  if (table === "filter") return filterFragment(context);
  if (table === "nat") return natFragment(context);
  return NOTHING;
}

const NOTHING: TableFragment = { chains: [], shares: new Map() };

function filterFragment(context: Context): TableFragment {
  const shares = new Map([
    ["KUBE-SERVICES", kubeServicesFilter(context)],
    ["KUBE-EXTERNAL-SERVICES", kubeExternalServices(context)],
    ["KUBE-NODEPORTS", healthCheckPort(context)],
    ["KUBE-PROXY-FIREWALL", kubeProxyFirewall(context)],
  ]);
  return { chains: [], shares: withoutEmpty(shares) };
}

function natFragment(context: Context): TableFragment {
  const shares = new Map([
    ["KUBE-SERVICES", kubeServices(context)],
    ["KUBE-NODEPORTS", kubeNodePorts(context)],
  ]);
  const endpoints = context.traffic.reachable.map((endpoint) => kubeSep(context, endpoint));
  const chains = [kubeExt(context), kubeFw(context), kubeSvc(context), kubeSvl(context), ...endpoints];
  return { chains: chains.filter((chain): chain is Chain => chain !== undefined), shares: withoutEmpty(shares) };
}

function withoutEmpty(shares: Map<string, readonly Rule[]>): ReadonlyMap<string, readonly Rule[]> {
  for (const [chain, rules] of shares) if (rules.length === 0) shares.delete(chain);
  return shares;
}
