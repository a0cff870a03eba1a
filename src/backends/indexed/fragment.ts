// What does one ServicePort need in the kernel, in this layout?
import type { Settings } from "../../model/settings.ts";
import type { ServiceTraffic } from "../../model/traffic.ts";
import type { Chain, Fragment, Shares } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
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

/** The fragment of one ServicePort; it keeps nothing but what it is made of. */
export function fragmentOf(fill: FillFrom, settings: Settings, traffic: ServiceTraffic): Fragment {
  const { text, protocol, affinitySeconds } = traffic.servicePort;
  const context = () => contextOf(fill, settings, traffic, { prefix: PREFIX });
  const each = affinitySeconds === 0 ? LINES.endpoint : LINES.endpoint + 3;
  return {
    key: `${text}/${protocol}`,
    size: LINES.servicePort + each * traffic.reachable.length,
    chains: (table) => (table === "nat" ? natChains(context()) : []),
    shares: (table) => sharesOf(table, context(), filterShares),
    ipvs: () => ({ entries: entriesOf(settings, traffic), servers: [], addresses: [], rules: [] }),
  };
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
