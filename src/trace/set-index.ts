// How is an entry of a set found without looking at all of them?
import type { FoundSet } from "./found-set.ts";
import { readAddressBits, readNetwork } from "./network.ts";
import { readProtocol } from "./protocol-names.ts";

/** What stands between the commas of an entry: `ip`, `net`, `port`, `iface`, `mac`, `mark`, `set`. */
export type Dimension = string;

export interface SetIndex {
  readonly dimensions: readonly Dimension[];
  /** Entries by their parts; true for an exception (`nomatch`). */
  readonly entries: ReadonlyMap<string, boolean>;
  /** Which prefix lengths stand side by side in entries, the longest first: one for each part of kind `net`. */
  readonly prefixes: readonly (readonly number[])[];
}

const REMEMBERED = new WeakMap<FoundSet, SetIndex>();

/** Each set is gone through once. */
export function indexOf(set: FoundSet): SetIndex {
  const index = REMEMBERED.get(set) ?? buildIndex(set);
  REMEMBERED.set(set, index);
  return index;
}

function buildIndex({ type, entries }: FoundSet): SetIndex {
  const dimensions = type.slice(type.indexOf(":") + 1).split(",");
  const found = new Map<string, boolean>();
  const prefixes = new Map<string, readonly number[]>();
  for (const entry of entries) {
    const [text = "", nomatch] = entry.split(" ");
    const parts = text.split(",").flatMap((part, at) => readPart(dimensions[at], part) ?? []);
    // One that nobody can read is for nobody.
    if (parts.length !== dimensions.length) continue;
    const lengths = parts.flatMap(({ prefix }) => prefix ?? []);
    found.set(keyOf(parts.map(({ key }) => key)), nomatch !== undefined);
    prefixes.set(lengths.join(), lengths);
  }
  return { dimensions, entries: found, prefixes: [...prefixes.values()].sort(longestFirst) };
}

/** One key for the parts of an entry, each as below. */
export function keyOf(parts: readonly string[]): string {
  return parts.join();
}

export function addressKey(bits: bigint): string {
  return bits.toString(36);
}

export function networkKey(bits: bigint, prefix: number): string {
  return `${bits.toString(36)}/${prefix}`;
}

export function portKey(protocol: number, port: number): string {
  return `${protocol}:${port}`;
}

interface Part {
  readonly key: string;
  readonly prefix?: number;
}

function readPart(dimension: Dimension | undefined, text: string): Part | undefined {
  switch (dimension) {
    case "ip": {
      const address = readAddressBits(text);
      return address && { key: addressKey(address.bits) };
    }
    case "net":
      return readNet(text);
    case "port":
      return readPort(text);
    default:
      return { key: text };
  }
}

/** `tcp:80`; of a bitmap, `80` alone. */
function readPort(text: string): Part | undefined {
  const [name = "", port] = text.split(":");
  if (port === undefined) return { key: name };
  const protocol = readProtocol(name);
  return protocol === undefined ? undefined : { key: portKey(protocol, Number(port)) };
}

/** A whole address stands without its length. */
function readNet(text: string): Part | undefined {
  const network = readNetwork(text);
  const [, length] = text.split("/");
  const prefix = Number(length ?? (network?.family === "IPv6" ? 128 : 32));
  return network && { key: networkKey(network.address, prefix), prefix };
}

function longestFirst(one: readonly number[], other: readonly number[]): number {
  const differences = one.map((prefix, at) => Number(other[at]) - prefix);
  return Number(differences.find((difference) => difference !== 0));
}
