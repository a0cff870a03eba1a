// Determines which addresses are local to the node.

import type { Family } from "../net/family.ts";
import { type InterfaceAddress, IPVS_DEVICE } from "../state/node-facts.ts";
import type { Ruleset } from "./ruleset.ts";

/** The local addresses of one family, as far as they are known. */
export interface LocalAddresses {
  /** Undefined: not known. */
  readonly isLocal: (address: string) => boolean | undefined;
  /** Is the address on this interface? */
  readonly isOn: (address: string, name: string) => boolean | undefined;
  /** From which the source of its own packets, and of those it masquerades, is taken; undefined: not known. */
  readonly sources: readonly string[] | undefined;
  /** First address of an interface; undefined: not known, or there is none. */
  readonly firstOf: (name: string) => string | undefined;
}

export function localAddressesOf({ family, addresses, serviceAddresses }: Ruleset): LocalAddresses {
  const own = addresses?.filter(({ address }) => address.includes(":") === (family === "IPv6"));
  const known = new Set(own?.map(({ address }) => address));
  const on = new Set(own?.map((one) => `${one.interface} ${one.address}`));
  const isLocal = (address: string) => {
    if (isLoopback(address) || serviceAddresses.has(address) || known.has(address)) return true;
    return own ? false : undefined;
  };
  return {
    isLocal,
    isOn: (address, name) => {
      if (isLoopback(address)) return name === "lo";
      return own ? on.has(`${name} ${address}`) : undefined;
    },
    sources: own && [...new Set(own.filter(isSource).map(({ address }) => address))],
    firstOf: (name) => own?.find((one) => one.interface === name && !isLinkLocal(one.address))?.address,
  };
}

/** Loopback answers for the whole of 127.0.0.0/8. */
function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

/** Where an own packet goes to that is redirected. */
export function loopbackOf(family: Family): string {
  return family === "IPv4" ? "127.0.0.1" : "::1";
}

function isSource({ interface: name, address }: InterfaceAddress): boolean {
  return name !== IPVS_DEVICE && !isLoopback(address) && !isLinkLocal(address);
}

function isLinkLocal(address: string): boolean {
  return /^fe[89ab][0-9a-f]:/.test(address);
}
