// How are interfaces and their addresses written for `ip -batch`?
import { single } from "../net/address.ts";
import { IPVS_DEVICE } from "./node-facts.ts";

/**
 * Lines that make the interfaces and give the addresses to the one of IPVS mode, which stays down: an address that is
 * there makes its packets local all the same, and nobody else hears of it.
 */
export function printAddresses(devices: readonly string[], addresses: readonly string[]): readonly string[] {
  return [
    ...devices.map((device) => `link add ${device} txqueuelen 0 type dummy`),
    ...addresses.map((address) => `address add ${single(address)} dev ${IPVS_DEVICE}`),
  ];
}
