// How are shares found by the address or the port that they are for?
import { addressDigits, rangeOfDigits } from "../../net/address-digits.ts";
import type { Family } from "../../net/family.ts";
import type { Index, TableName } from "../../state/kernel-state.ts";
import type { FillFrom } from "../fill.ts";
import { chainHash } from "../iptables/chain-names.ts";
import { PREFIX } from "./names.ts";

/** A letter for each shared chain, since the chains of two indexes in one table must not have the same name. */
export type IndexLetter = "S" | "E" | "F" | "N" | "H";

interface IndexInput {
  readonly fill: FillFrom;
  readonly table: TableName;
  readonly letter: IndexLetter;
}

const DESTINATION = / -d (\S+)\/\d+ /;

/** By destination address: a chain for each range in which there are more than a few. */
export function addressIndex({ fill, table, letter }: IndexInput, family: Family): Index {
  const chainOf = (place: string) => {
    const { address, prefix } = rangeOfDigits(place, family);
    return `${PREFIX}${letter}-${family === "IPv4" ? `${address}-${prefix}` : chainHash(`${address}/${prefix}`)}`;
  };
  return {
    keyOf: ({ line }) => addressDigits(found(DESTINATION, line)),
    chainOf,
    wayTo: (chain, place, back) => {
      const { address, prefix } = rangeOfDigits(place, family);
      const words = { chain, range: `${address}/${prefix}`, target: chainOf(place) };
      return fill(`${table}/KUBE-IX`, back === "root" ? "addresses" : "addresses-below", words);
    },
  };
}

const PROTOCOLS: readonly string[] = ["tcp", "udp", "sctp"];

const PROTOCOL = / -p (\S+) /;
const PORT = / --dport (\d+) /;

/** Octal digits of a port; before them stands one for the protocol. */
const DIGITS = 6;

/** By protocol and port: a chain for each range of ports in which there are more than a few. */
export function portIndex({ fill, table, letter }: IndexInput): Index {
  const chainOf = (place: string) => {
    const { protocol, ports } = portsOf(place);
    return `${PREFIX}${letter}-${[protocol.toUpperCase(), ...ports].join("-")}`;
  };
  return {
    keyOf: ({ line }) => {
      const protocol = PROTOCOLS.indexOf(found(PROTOCOL, line));
      return `${protocol}${Number(found(PORT, line)).toString(8).padStart(DIGITS, "0")}`;
    },
    chainOf,
    wayTo: (chain, place, back) => {
      const { protocol, ports } = portsOf(place);
      const words = { chain, protocol, target: chainOf(place) };
      // Whoever comes by protocol alone has been nowhere yet.
      if (ports.length === 0) return fill(`${table}/KUBE-IX`, "protocol", words);
      const heading = back === "root" ? "ports" : "ports-below";
      return fill(`${table}/KUBE-IX`, heading, { ...words, ports: [...new Set(ports)].join(":") });
    },
  };
}

/** First and last port, none where a place is all of a protocol. */
function portsOf(place: string): { readonly protocol: string; readonly ports: readonly number[] } {
  const protocol = PROTOCOLS[Number(place.charAt(0))] ?? "tcp";
  const digits = place.slice(1);
  if (digits === "") return { protocol, ports: [] };
  const first = Number.parseInt(digits.padEnd(DIGITS, "0"), 8);
  return { protocol, ports: [first, first + 8 ** (DIGITS - digits.length) - 1] };
}

function found(pattern: RegExp, line: string): string {
  const [, text] = pattern.exec(line) ?? [];
  if (text === undefined) throw new RangeError(`no key in ${line}`);
  return text;
}
