// What does KUBE-IX-EXT do with traffic to an address that is another Service's cluster IP too?
import type { Chain, Rule } from "../../../state/kernel-state.ts";
import { markOf } from "../../chain.ts";
import { kubeExt } from "../../iptables/chains/kube-ext.ts";
import { clusterIPMasquerade } from "../../iptables/cluster-ip-masquerade.ts";
import { type Context, writtenWhenAsked } from "../../iptables/context.ts";
import { setName } from "../sets.ts";

const CHAIN = "nat/KUBE-EXT";

/** As in the other layout. Who comes here is not to be masqueraded for the cluster IP: that Service did not get it. */
export function kubeIxExt(context: Context): Chain | undefined {
  const chain = kubeExt(context);
  if (!chain || !mayKeepSource(context)) return chain;
  return writtenWhenAsked(chain.name, () => [unmarked(context), ...chain.rules]);
}

/**
 * Under the Cluster policy all is masqueraded, and to a nodePort nobody comes marked. Without an endpoint here clients go
 * on to the Service whose cluster IP it is, so that their mark stays; that of pods too, which have one where all is
 * masqueraded: them alone the other layout would leave as they are.
 */
function mayKeepSource({ settings, traffic }: Context): boolean {
  const { servicePort, external } = traffic;
  const { externalIPs, loadBalancerVIPs } = servicePort;
  const claims = externalIPs.length + loadBalancerVIPs.length > 0;
  const keeps = external.endpoints === "local" && external.verdict === "forward";
  return claims && keeps && clusterIPMasquerade(settings) !== undefined;
}

function unmarked({ fill, names, settings }: Context): Rule {
  const set = setName("CLUSTER-IP", settings.family);
  return fill(CHAIN, "unmark", { chain: names.ext, set, mark: markOf(settings) });
}
