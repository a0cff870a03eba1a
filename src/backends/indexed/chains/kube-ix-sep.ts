// What does the chain of an endpoint do that remembers its clients?
import type { Endpoint } from "../../../model/endpoint.ts";
import { hostPort, kernelText } from "../../../net/address.ts";
import type { Chain } from "../../../state/kernel-state.ts";
import { recentMask } from "../../iptables/chains/kube-sep.ts";
import { type Context, writtenWhenAsked } from "../../iptables/context.ts";
import { endpointChain } from "../names.ts";

/** The list of clients has the name that it has in the other layout, so that clients stay where they are. */
export function kubeIxSep({ fill, protocol, settings, chainOf }: Context, endpoint: Endpoint): Chain {
  const recent = chainOf(endpoint);
  const chain = endpointChain(recent);
  const destination = hostPort(kernelText(endpoint.ip), endpoint.port);
  const mask = { "recent.mask": recentMask(settings.family) };
  return writtenWhenAsked(chain, () => [
    fill("nat/KUBE-IX-SEP", "dnat-affinity", { chain, protocol, recent, destination, ...mask }),
  ]);
}
