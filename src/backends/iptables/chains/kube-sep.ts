// What does the chain of one endpoint do?

import type { Endpoint } from "../../../model/endpoint.ts";
import { hostPort, kernelText, single } from "../../../net/address.ts";
import type { Family } from "../../../net/family.ts";
import type { Chain, Rule } from "../../../state/kernel-state.ts";
import { type Context, writtenWhenAsked } from "../context.ts";

const CHAIN = "nat/KUBE-SEP";

export function kubeSep(context: Context, endpoint: Endpoint): Chain {
  return writtenWhenAsked(context.chainOf(endpoint), () => rulesOf(context, endpoint));
}

function rulesOf(context: Context, endpoint: Endpoint): readonly Rule[] {
  const { fill, service, protocol, settings, traffic } = context;
  const chain = context.chainOf(endpoint);
  const bare = settings.endpointComments ? "" : "-bare";
  const comment = settings.endpointComments ? { service } : {};
  const destination = hostPort(kernelText(endpoint.ip), endpoint.port);
  const dnat = { chain, protocol, destination, ...comment };
  return [
    fill(CHAIN, `hairpin${bare}`, { chain, address: single(endpoint.ip), ...comment }),
    traffic.servicePort.affinitySeconds === 0
      ? fill(CHAIN, `dnat${bare}`, dnat)
      : fill(CHAIN, `dnat-affinity${bare}`, { ...dnat, recent: chain, "recent.mask": recentMask(settings.family) }),
  ];
}

/** The recent match remembers whole addresses. */
export function recentMask(family: Family): string {
  return family === "IPv4" ? "255.255.255.255" : "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
}
