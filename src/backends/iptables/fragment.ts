// What does one ServicePort need in the kernel?
import type { Chain, Fragment, Rule, TableFragment } from "../../state/kernel-state.ts";
import { kubeExt } from "./chains/kube-ext.ts";
import { kubeExternalServices } from "./chains/kube-external-services.ts";
import { kubeFw } from "./chains/kube-fw.ts";
import { healthCheckPort, kubeNodePorts } from "./chains/kube-nodeports.ts";
import { kubeProxyFirewall } from "./chains/kube-proxy-firewall.ts";
import { kubeSep } from "./chains/kube-sep.ts";
import { kubeServices } from "./chains/kube-services.ts";
import { kubeServicesFilter } from "./chains/kube-services-filter.ts";
import { kubeSvc, kubeSvl } from "./chains/kube-svc.ts";
import type { Context } from "./context.ts";

export function fragmentOf(context: Context): Fragment {
  const { text, protocol } = context.traffic.servicePort;
  return {
    key: `${text}/${protocol}`,
    tables: new Map([
      ["filter", filterFragment(context)],
      ["nat", natFragment(context)],
    ]),
  };
}

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
