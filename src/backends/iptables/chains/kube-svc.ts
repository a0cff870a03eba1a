// How do KUBE-SVC (all allowed endpoints) and KUBE-SVL (those on this node) choose an endpoint?

import type { Endpoint } from "../../../model/endpoint.ts";
import { single } from "../../../net/address.ts";
import type { Chain, Rule } from "../../../state/kernel-state.ts";
import type { Words } from "../../words.ts";
import { clusterIPMasquerade } from "../cluster-ip-masquerade.ts";
import { type Context, writtenWhenAsked } from "../context.ts";
import { kernelProbability } from "../probability.ts";
import { recentMask } from "./kube-sep.ts";

const CHAIN = "nat/KUBE-SVC";

export function kubeSvc(context: Context): Chain | undefined {
  const { names, traffic } = context;
  return chooser(context, names.svc, traffic.servicePort.usesCluster ? traffic.cluster : []);
}

export function kubeSvl(context: Context): Chain | undefined {
  const { names, traffic } = context;
  return chooser(context, names.svl, traffic.servicePort.usesLocal ? traffic.local : []);
}

function chooser(context: Context, chain: string, endpoints: readonly Endpoint[]): Chain | undefined {
  if (endpoints.length === 0) return undefined;
  return writtenWhenAsked(chain, () => [
    ...masquerade(context, chain),
    ...affinity(context, chain, endpoints),
    ...random(context, chain, endpoints),
  ]);
}

/** Cluster IP traffic that does not come from pods is masqueraded, in the one chain that serves the cluster IP. */
function masquerade({ fill, names, service, protocol, settings, traffic }: Context, chain: string): readonly Rule[] {
  const { internal, servicePort } = traffic;
  const serves = internal.endpoints === "local" ? names.svl : names.svc;
  const found = clusterIPMasquerade(settings);
  if (!found || internal.verdict !== "forward" || serves !== chain) return [];
  const address = single(servicePort.clusterIP);
  const words = { chain, service, protocol, address, port: String(servicePort.port), ...found.words };
  return [fill(CHAIN, found.heading, words)];
}

function affinity(context: Context, chain: string, endpoints: readonly Endpoint[]): readonly Rule[] {
  const { fill, chainOf, settings, traffic } = context;
  const { affinitySeconds } = traffic.servicePort;
  if (affinitySeconds === 0) return [];
  const seconds = String(affinitySeconds);
  return endpoints.map((endpoint) => {
    const recent = chainOf(endpoint);
    const mask = { "recent.mask": recentMask(settings.family) };
    const words = { chain, seconds, recent, target: recent, ...mask, ...comment(context, endpoint) };
    return fill(CHAIN, variant(context, "affinity"), words);
  });
}

/** Each of n endpoints is taken with 1/n, 1/(n-1), … of what is left; the last takes the rest. */
function random(context: Context, chain: string, endpoints: readonly Endpoint[]): readonly Rule[] {
  const { fill, chainOf } = context;
  return endpoints.map((endpoint, index) => {
    const left = endpoints.length - index;
    const words = { chain, target: chainOf(endpoint), ...comment(context, endpoint) };
    if (left === 1) return fill(CHAIN, variant(context, "last"), words);
    return fill(CHAIN, variant(context, "random"), { ...words, probability: kernelProbability(left) });
  });
}

function variant({ settings }: Context, heading: string): string {
  return settings.endpointComments ? heading : `${heading}-bare`;
}

function comment({ settings, service }: Context, endpoint: Endpoint): Words {
  return settings.endpointComments ? { service, endpoint: endpoint.text } : {};
}
