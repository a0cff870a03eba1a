// The values from which every chain file writes the rules of one ServicePort.
import type { Endpoint } from "../../model/endpoint.ts";
import type { ServicePort } from "../../model/service-port.ts";
import type { Settings } from "../../model/settings.ts";
import type { ServiceTraffic } from "../../model/traffic.ts";
import { type LowerProtocol, lower } from "../../net/protocol.ts";
import type { Chain, Rule } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
import { endpointChainName, type ServiceChainNames, serviceChainNames } from "./chain-names.ts";

/** One ServicePort on its way into rules. */
export interface Context {
  readonly fill: FillFrom;
  readonly settings: Settings;
  readonly traffic: ServiceTraffic;
  readonly names: ServiceChainNames;
  /** The chain of an endpoint, which is also the name of its list of recent clients. */
  readonly chainOf: (endpoint: Endpoint) => string;
  /** Endpoint chains that were written last, of the same ServicePort under the same settings, by the endpoint's text. */
  readonly written: ReadonlyMap<string, Chain>;
  /** `namespace/name:port`, as comments have it. */
  readonly service: string;
  readonly protocol: LowerProtocol;
}

/** What stands before the chains of every ServicePort. */
const PREFIX = "KUBE-";

export function contextOf(
  fill: FillFrom,
  settings: Settings,
  traffic: ServiceTraffic,
  { prefix }: { readonly prefix: string } = { prefix: PREFIX },
): Context {
  const { servicePort } = traffic;
  const isLatest = latest?.fill === fill && latest.settings === settings && latest.servicePort === servicePort;
  const written = isLatest && latest ? latest.chains : NONE;
  let names: ServiceChainNames | undefined;
  let known: Map<Endpoint, string> | undefined;
  const chainOf = (endpoint: Endpoint) => {
    known ??= new Map();
    const name = known.get(endpoint) ?? written.get(endpoint.text)?.name ?? endpointChainName(servicePort, endpoint);
    known.set(endpoint, name);
    return name;
  };
  return {
    fill,
    settings,
    traffic,
    // Most Services have no rule in table filter, and need no name there.
    get names() {
      names ??= serviceChainNames(servicePort, prefix);
      return names;
    },
    chainOf,
    written,
    service: servicePort.text,
    protocol: lower(servicePort.protocol),
  };
}

interface EndpointChains extends Pick<Context, "fill" | "settings"> {
  readonly servicePort: ServicePort;
  readonly chains: ReadonlyMap<string, Chain>;
}

const NONE: ReadonlyMap<string, Chain> = new Map();

let latest: EndpointChains | undefined;

/**
 * Keeps the endpoint chains of one ServicePort, the last one only. A diff asks for its chains before and after a change
 * one after the other, and most endpoints are in both: these chains are then the same object, neither named nor written
 * out twice.
 */
export function rememberEndpointChains({ fill, settings, traffic }: Context, chains: ReadonlyMap<string, Chain>): void {
  latest = { fill, settings, servicePort: traffic.servicePort, chains };
}

/**
 * A chain of ours, with the rules written out when somebody asks for them. A node that starts finds most chains missing,
 * and then their names are all that a difference needs.
 */
export function writtenWhenAsked(name: string, write: () => readonly Rule[]): Chain {
  let written: readonly Rule[] | undefined;
  return {
    name,
    hold: "ours",
    get rules() {
      written ??= write();
      return written;
    },
  };
}

/** Is there a chain for external destinations? */
export function hasExt({ usable, servicePort }: ServiceTraffic): boolean {
  return usable && servicePort.reachableFromOutside;
}

/** Is there a chain that admits sources to the load balancer VIPs? */
export function hasFw({ usable, servicePort }: ServiceTraffic): boolean {
  return usable && servicePort.sourceRanges !== "everyone" && servicePort.loadBalancerVIPs.length > 0;
}
