// What does the chain of one endpoint do?

import type { Endpoint } from "../../../model/endpoint.ts";
import { hostPort, kernelText, single } from "../../../net/address.ts";
import type { Family } from "../../../net/family.ts";
import type { Chain } from "../../../state/kernel-state.ts";
import { type Context, ours } from "../context.ts";

const CHAIN = "nat/KUBE-SEP";

export function kubeSep({ fill, chainOf, service, protocol, settings, traffic }: Context, endpoint: Endpoint): Chain {
  const chain = chainOf(endpoint);
  const bare = settings.endpointComments ? "" : "-bare";
  const comment = settings.endpointComments ? { service } : {};
  const destination = hostPort(kernelText(endpoint.ip), endpoint.port);
  const dnat = { chain, protocol, destination, ...comment };
  return ours(chain, [
    fill(CHAIN, `hairpin${bare}`, { chain, address: single(endpoint.ip), ...comment }),
    traffic.servicePort.affinitySeconds === 0
      ? fill(CHAIN, `dnat${bare}`, dnat)
      : fill(CHAIN, `dnat-affinity${bare}`, { ...dnat, recent: chain, "recent.mask": recentMask(settings.family) }),
  ]);
}

/** The recent match remembers whole addresses. */
export function recentMask(family: Family): string {
  return family === "IPv4" ? "255.255.255.255" : "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
}
