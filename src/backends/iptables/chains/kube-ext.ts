// What does KUBE-EXT do with traffic to the external addresses of a ServicePort?
import type { Chain, Rule } from "../../../state/kernel-state.ts";
import { type Context, hasExt, writtenWhenAsked } from "../context.ts";

const CHAIN = "nat/KUBE-EXT";

export function kubeExt(context: Context): Chain | undefined {
  return hasExt(context.traffic) ? writtenWhenAsked(context.names.ext, () => rulesOf(context)) : undefined;
}

function rulesOf(context: Context): readonly Rule[] {
  const { fill, names, service, traffic } = context;
  const chain = names.ext;
  const local = traffic.external.endpoints === "local";
  const rules = local ? shortCuts(context) : [fill(CHAIN, "masquerade", { chain, service })];
  const forward = traffic.external.verdict === "forward";
  const target = local ? names.svl : names.svc;
  return forward ? [...rules, fill(CHAIN, "endpoints", { chain, target })] : rules;
}

/** Under the Local policy, this cluster's own traffic goes to every endpoint all the same. */
function shortCuts(context: Context): readonly Rule[] {
  const { fill, names, service } = context;
  const words = { chain: names.ext, service };
  return [
    ...fromPods(context),
    fill(CHAIN, "masquerade-node", words),
    fill(CHAIN, "node", { ...words, target: names.svc }),
  ];
}

function fromPods({ fill, names, service, settings }: Context): readonly Rule[] {
  const { localTraffic } = settings;
  const words = { chain: names.ext, service, target: names.svc };
  if (!localTraffic) return [];
  if (localTraffic.kind === "interface") {
    return [fill(CHAIN, "pods-by-interface", { ...words, interface: localTraffic.interface })];
  }
  // The kernel's tools print no source match for a range that holds every address.
  if (localTraffic.cidr.endsWith("/0")) return [fill(CHAIN, "pods-from-anywhere", words)];
  return [fill(CHAIN, "pods", { ...words, pods: localTraffic.cidr })];
}
