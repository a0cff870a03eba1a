// What are the chains of this layout called?
import type { Endpoint } from "../../model/endpoint.ts";
import { chainHash } from "../iptables/chain-names.ts";

/** Before the name of every chain that only this layout has: what a chain of Compat does, none of these does just so. */
export const PREFIX = "KUBE-IX-";

/** The chain of an endpoint whose list of recent clients has this name. */
export function endpointChain(recent: string): string {
  return recent.replace(/^KUBE-/, PREFIX);
}

/** The chain for those endpoints of a chain whose digits begin so. */
export function subChain(chain: string, place: string): string {
  return `${PREFIX}SUB-${chainHash(`${chain} ${place}`)}`;
}

/** Octal digits of an endpoint, which have nothing to do with its address: any number of them falls into equal parts. */
export function endpointDigits(endpoint: Endpoint): string {
  const known = DIGITS.get(endpoint);
  if (known !== undefined) return known;
  const letters = [...chainHash(endpoint.text)].map((letter) => ALPHABET.indexOf(letter));
  const digits = letters.map((value) => (value % 8).toString()).join("");
  DIGITS.set(endpoint, digits);
  return digits;
}

/** Those of Services with many endpoints, of which a change leaves most as they were. */
const DIGITS = new WeakMap<Endpoint, string>();

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
