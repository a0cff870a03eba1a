// Desired kernel state in IPVS mode.
import type { Settings } from "../../model/settings.ts";
import type { World } from "../../model/world.ts";
import { byName, type Chain, type Chains, type KernelState, type TableName } from "../../state/kernel-state.ts";
import { IPVS_DEVICE } from "../../state/node-facts.ts";
import type { Backend } from "../backend.ts";
import { ours } from "../chain.ts";
import type { FillFrom } from "../fill.ts";
import { fragmentsOf, type KnownFragments, type ModeParts, modePartsOf, noFragments } from "../mode-parts.ts";
import type { TemplateTexts } from "../template.ts";
import { kubeForward } from "./chains/kube-forward.ts";
import { kubeIpvsFilter } from "./chains/kube-ipvs-filter.ts";
import { kubeIpvsOutFilter } from "./chains/kube-ipvs-out-filter.ts";
import { kubeLoadBalancer } from "./chains/kube-load-balancer.ts";
import { kubeMarkMasq } from "./chains/kube-mark-masq.ts";
import { healthCheckPorts, kubeNodePort } from "./chains/kube-node-port.ts";
import { kubePostrouting } from "./chains/kube-postrouting.ts";
import { kubeProxyFirewall } from "./chains/kube-proxy-firewall.ts";
import { kubeServices } from "./chains/kube-services.ts";
import { kubeSourceRangesFirewall } from "./chains/kube-source-ranges-firewall.ts";
import type { Context } from "./context.ts";
import { writingOf } from "./fragment.ts";
import { type NodeSide, nodeSideOf } from "./node-side.ts";
import { admissionOf, setsOf } from "./sets.ts";
import { type KnownSummaries, summaryOf } from "./summary.ts";
import { ipvsSysctls } from "./sysctls.ts";

/** The mode over these templates. Throws RuleSyntaxError for a template that cannot be read. */
export function ipvsBackend(texts: TemplateTexts): Backend {
  const parts = { ...modePartsOf(texts), remembered: new WeakMap<Settings, Remembered>() };
  const jumps = [...parts.filter, ...parts.nat].flatMap(({ rules }) => rules);
  return { mode: "ipvs", jumps, desired: (world) => desired(world, parts) };
}

interface Parts extends ModeParts {
  readonly remembered: WeakMap<Settings, Remembered>;
}

/** What was worked out under the same settings. */
interface Remembered extends KnownFragments {
  readonly node: NodeSide;
  readonly summaries: KnownSummaries;
}

function desired({ settings, services }: World, { fill, filter, nat, remembered }: Parts): KernelState {
  const known = recall(fill, settings, remembered);
  const { node, summaries } = known;
  const context = { fill, settings, ...summaryOf(services, node, summaries) };
  return {
    family: settings.family,
    tables: new Map<TableName, Chains>([
      ["filter", byName([...filter, ...filterChains(context)])],
      ["nat", byName([...nat, ...natChains(context)])],
    ]),
    fragments: fragmentsOf(services, known),
    sysctls: ipvsSysctls(node),
    counters: [],
    ipvs: {
      kind: "wanted",
      sets: setsOf(settings.family),
      devices: [IPVS_DEVICE],
      spared: node.excludeCIDRs,
      admission: admissionOf(settings.family),
    },
  };
}

function recall(fill: FillFrom, settings: Settings, remembered: Parts["remembered"]): Remembered {
  const known = remembered.get(settings) ?? rememberAnew(fill, nodeSideOf(settings));
  remembered.set(settings, known);
  return known;
}

function rememberAnew(fill: FillFrom, node: NodeSide): Remembered {
  return { node, summaries: new WeakMap(), ...noFragments(writingOf(fill, node)) };
}

function filterChains(context: Context): readonly Chain[] {
  return [
    ours("KUBE-FORWARD", kubeForward(context)),
    ours("KUBE-NODE-PORT", healthCheckPorts(context)),
    ours("KUBE-PROXY-FIREWALL", kubeProxyFirewall(context)),
    ours("KUBE-SOURCE-RANGES-FIREWALL", kubeSourceRangesFirewall(context)),
    ours("KUBE-IPVS-FILTER", kubeIpvsFilter(context)),
    ours("KUBE-IPVS-OUT-FILTER", kubeIpvsOutFilter(context.fill, context.closed)),
  ];
}

function natChains(context: Context): readonly Chain[] {
  return [
    ours("KUBE-SERVICES", kubeServices(context)),
    ours("KUBE-POSTROUTING", kubePostrouting(context)),
    ours("KUBE-NODE-PORT", kubeNodePort(context)),
    ours("KUBE-LOAD-BALANCER", kubeLoadBalancer(context)),
    ours("KUBE-MARK-MASQ", kubeMarkMasq(context)),
  ];
}
