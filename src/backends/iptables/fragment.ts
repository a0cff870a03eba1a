// What does one ServicePort need in the kernel?

import type { Settings } from "../../model/settings.ts";
import type { ServiceTraffic } from "../../model/traffic.ts";
import type { Chain, Fragment, Rule, Shares, TableName } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
import { kubeExt } from "./chains/kube-ext.ts";
import { kubeExternalServices } from "./chains/kube-external-services.ts";
import { kubeFw } from "./chains/kube-fw.ts";
import { healthCheckPort, kubeNodePorts } from "./chains/kube-nodeports.ts";
import { kubeProxyFirewall } from "./chains/kube-proxy-firewall.ts";
import { kubeSep } from "./chains/kube-sep.ts";
import { kubeServices } from "./chains/kube-services.ts";
import { kubeServicesFilter } from "./chains/kube-services-filter.ts";
import { kubeSvc, kubeSvl } from "./chains/kube-svc.ts";
import { type Context, contextOf } from "./context.ts";

/** Lines of a ServicePort with a chain for the Service, and of each endpoint: a chain, its rules, and the way to it. */
const LINES = { servicePort: 4, endpoint: 4 } as const;

/** The fragment of one ServicePort; it keeps nothing but what it is made of. */
export function fragmentOf(fill: FillFrom, settings: Settings, traffic: ServiceTraffic): Fragment {
  const { text, protocol } = traffic.servicePort;
  return {
    key: `${text}/${protocol}`,
    size: LINES.servicePort + LINES.endpoint * traffic.reachable.length,
    chains: (table) => (table === "nat" ? natChains(contextOf(fill, settings, traffic)) : []),
    shares: (table) => withoutEmpty(sharesOf(table, contextOf(fill, settings, traffic))),
  };
}

function natChains(context: Context): readonly Chain[] {
  const endpoints = context.traffic.reachable.map((endpoint) => kubeSep(context, endpoint));
  const chains = [kubeExt(context), kubeFw(context), kubeSvc(context), kubeSvl(context), ...endpoints];
  return chains.filter((chain): chain is Chain => chain !== undefined);
}

function sharesOf(table: TableName, context: Context): Map<string, readonly Rule[]> {
  return table === "nat" ? natShares(context) : filterShares(table, context);
}

function natShares(context: Context): Map<string, readonly Rule[]> {
  return new Map([
    ["KUBE-SERVICES", kubeServices(context)],
    ["KUBE-NODEPORTS", kubeNodePorts(context)],
  ]);
}

function filterShares(table: TableName, context: Context): Map<string, readonly Rule[]> {
  if (table !== "filter") return new Map();
  return new Map([
    ["KUBE-SERVICES", kubeServicesFilter(context)],
    ["KUBE-EXTERNAL-SERVICES", kubeExternalServices(context)],
    ["KUBE-NODEPORTS", healthCheckPort(context)],
    ["KUBE-PROXY-FIREWALL", kubeProxyFirewall(context)],
  ]);
}

function withoutEmpty(shares: Map<string, readonly Rule[]>): Shares {
  for (const [chain, rules] of shares) if (rules.length === 0) shares.delete(chain);
  return shares;
}
