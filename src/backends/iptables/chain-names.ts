// What are the chains of a ServicePort called?
import { hash } from "node:crypto";
import type { Endpoint } from "../../model/endpoint.ts";
import type { ServicePort } from "../../model/service-port.ts";
import { lower } from "../../net/protocol.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * First 16 characters of the base32 text of SHA-256, as kube-proxy names its chains: prefix and hash stay within the 28
 * characters that iptables allows.
 */
export function chainHash(text: string): string {
  const digest = hash("sha256", text, "buffer");
  let name = "";
  for (let group = 0; group < 10; group += 5) {
    let bits = digest.readUIntBE(group, 5);
    let part = "";
    for (let digit = 0; digit < 8; digit++) {
      part = BASE32.charAt(bits % 32) + part;
      bits = Math.floor(bits / 32);
    }
    name += part;
  }
  return name;
}

/** The names that belong to one ServicePort; they do not depend on family, address or port number. */
export interface ServiceChainNames {
  readonly svc: string;
  readonly svl: string;
  readonly ext: string;
  readonly fw: string;
}

export function serviceChainNames(servicePort: ServicePort, prefix: string): ServiceChainNames {
  const suffix = suffixOf(servicePort);
  const [svc, svl, ext, fw] = [`${prefix}SVC-`, `${prefix}SVL-`, `${prefix}EXT-`, `${prefix}FW-`];
  return { svc: svc + suffix, svl: svl + suffix, ext: ext + suffix, fw: fw + suffix };
}

/** A digest for each ServicePort, which stays as long as only its endpoints change. */
const SUFFIXES = new WeakMap<ServicePort, string>();

function suffixOf(servicePort: ServicePort): string {
  const suffix = SUFFIXES.get(servicePort) ?? chainHash(servicePort.text + lower(servicePort.protocol));
  SUFFIXES.set(servicePort, suffix);
  return suffix;
}

/** The chain of one endpoint, which is also the name of its list of recent clients. */
export function endpointChainName({ text, protocol }: ServicePort, endpoint: Endpoint): string {
  return `KUBE-SEP-${chainHash(text + lower(protocol) + endpoint.text)}`;
}
