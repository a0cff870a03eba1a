// What does one ServicePort need in the kernel, in this layout?
import type { Settings } from "../../model/settings.ts";
import type { ServiceTraffic } from "../../model/traffic.ts";
import type { Chain, Shares } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
import type { Writing } from "../fragment.ts";
import { externalAddresses } from "../iptables/chains/kube-external-services.ts";
import { kubeFw } from "../iptables/chains/kube-fw.ts";
import { healthCheckPort } from "../iptables/chains/kube-nodeports.ts";
import { kubeProxyFirewall } from "../iptables/chains/kube-proxy-firewall.ts";
import { kubeServicesFilter } from "../iptables/chains/kube-services-filter.ts";
import { type Context, contextOf } from "../iptables/context.ts";
import { sharesOf, withoutEmpty } from "../iptables/fragment.ts";
import { kubeIxExt } from "./chains/kube-ix-ext.ts";
import { kubeIxNodePorts } from "./chains/kube-ix-nodeports.ts";
import { kubeIxSep } from "./chains/kube-ix-sep.ts";
import { kubeIxSvc, kubeIxSvl } from "./chains/kube-ix-svc.ts";
import { PREFIX } from "./names.ts";
import { entriesOf } from "./sets.ts";

/** Lines of a ServicePort with a chain for the Service, and of each endpoint. */
const LINES = { servicePort: 1, endpoint: 1 } as const;

/** How this layout has it. */
export function writingOf(fill: FillFrom, settings: Settings): Writing {
  const context = (traffic: ServiceTraffic) => contextOf(fill, settings, traffic, { prefix: PREFIX });
  return {
    sizeOf,
    chainsOf: (traffic, table) => (table === "nat" ? natChains(context(traffic)) : []),
    sharesOf: (traffic, table) => sharesOf(table, context(traffic), filterShares),
    ipvsOf: (traffic) => ({ entries: entriesOf(settings, traffic), servers: [], addresses: [], rules: [] }),
  };
}

function sizeOf({ servicePort, reachable }: ServiceTraffic): number {
  const each = servicePort.affinitySeconds === 0 ? LINES.endpoint : LINES.endpoint + 3;
  return LINES.servicePort + each * reachable.length;
}

function natChains(context: Context): readonly Chain[] {
  const { servicePort, reachable } = context.traffic;
  const remembering = servicePort.affinitySeconds === 0 ? [] : reachable;
  return [
    ...[kubeIxExt(context), kubeFw(context)].filter((chain) => chain !== undefined),
    ...kubeIxSvc(context),
    ...kubeIxSvl(context),
    ...remembering.map((endpoint) => kubeIxSep(context, endpoint)),
  ];
}

function filterShares(context: Context): Shares {
  return withoutEmpty([
    ["KUBE-SERVICES", kubeServicesFilter(context)],
    ["KUBE-EXTERNAL-SERVICES", externalAddresses(context)],
    ["KUBE-IX-NODEPORTS", kubeIxNodePorts(context)],
    ["KUBE-NODEPORTS", healthCheckPort(context)],
    ["KUBE-PROXY-FIREWALL", kubeProxyFirewall(context)],
  ]);
}
