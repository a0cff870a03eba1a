// Writes the chains and shared rules of one ServicePort in kube-proxy's layout.

import type { Settings } from "../../model/settings.ts";
import type { Chain, Rule, Shares, TableName } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
import type { Writing } from "../fragment.ts";
import { kubeExt } from "./chains/kube-ext.ts";
import { kubeExternalServices } from "./chains/kube-external-services.ts";
import { kubeFw } from "./chains/kube-fw.ts";
import { healthCheckPort, kubeNodePorts } from "./chains/kube-nodeports.ts";
import { kubeProxyFirewall } from "./chains/kube-proxy-firewall.ts";
import { kubeSep } from "./chains/kube-sep.ts";
import { kubeServices } from "./chains/kube-services.ts";
import { kubeServicesFilter } from "./chains/kube-services-filter.ts";
import { kubeSvc, kubeSvl } from "./chains/kube-svc.ts";
import { type Context, contextOf, rememberEndpointChains } from "./context.ts";

/** Lines of a ServicePort with a chain for the Service, and of each endpoint: a chain, its rules, and the way to it. */
const LINES = { servicePort: 4, endpoint: 4 } as const;

/** How kube-proxy's layout has it. */
export function writingOf(fill: FillFrom, settings: Settings): Writing {
  const { servicePort, endpoint } = LINES;
  return {
    sizeOf: ({ reachable }) => servicePort + endpoint * reachable.length,
    chainsOf: (traffic, table) => (table === "nat" ? natChains(contextOf(fill, settings, traffic)) : []),
    sharesOf: (traffic, table) => sharesOf(table, contextOf(fill, settings, traffic), filterShares),
  };
}

function natChains(context: Context): readonly Chain[] {
  const endpoints = new Map(
    context.traffic.reachable.map((endpoint) => {
      return [endpoint.text, context.written.get(endpoint.text) ?? kubeSep(context, endpoint)];
    }),
  );
  rememberEndpointChains(context, endpoints);
  const chains = [kubeExt(context), kubeFw(context), kubeSvc(context), kubeSvl(context), ...endpoints.values()];
  return chains.filter((chain): chain is Chain => chain !== undefined);
}

/** Those in nat are alike in every layout, but for the chains that they lead to. */
export function sharesOf(table: TableName, context: Context, filterShares: (context: Context) => Shares): Shares {
  if (table === "nat") return natShares(context);
  return table === "filter" ? filterShares(context) : NO_SHARES;
}

const NO_SHARES: Shares = new Map();

function natShares(context: Context): Shares {
  return withoutEmpty([
    ["KUBE-SERVICES", kubeServices(context)],
    ["KUBE-NODEPORTS", kubeNodePorts(context)],
  ]);
}

function filterShares(context: Context): Shares {
  return withoutEmpty([
    ["KUBE-SERVICES", kubeServicesFilter(context)],
    ["KUBE-EXTERNAL-SERVICES", kubeExternalServices(context)],
    ["KUBE-NODEPORTS", healthCheckPort(context)],
    ["KUBE-PROXY-FIREWALL", kubeProxyFirewall(context)],
  ]);
}

/** Shares by chain, without those in which there is nothing. */
export function withoutEmpty(shares: readonly (readonly [string, readonly Rule[]])[]): Shares {
  return new Map(shares.filter(([, rules]) => rules.length > 0));
}
