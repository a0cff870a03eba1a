// Which entries can a set have? All kinds of sets, each with entries that are in canonical form.
import fc from "fast-check";
import { addressText } from "../../src/kernel/address-bytes.ts";
import { parseCidr } from "../../src/net/cidr.ts";
import { type IpSet, SET_TYPES, type SetHeader, type SetType } from "../../src/state/ip-set.ts";
import { type EntryParts, printEntry } from "../../src/state/set-entry.ts";

export interface SetAndEntry {
  readonly set: SetHeader;
  readonly parts: EntryParts;
}

export function arbitrarySetAndEntry(): fc.Arbitrary<SetAndEntry> {
  return arbitraryHeader().chain((set) => arbitraryParts(set).map((parts) => ({ set, parts })));
}

/** A set of any kind with at most so many entries. */
export function arbitrarySet(maxLength: number): fc.Arbitrary<IpSet> {
  return arbitraryHeader().chain((set) =>
    fc.array(arbitraryParts(set), { maxLength }).map((all) => ({
      ...set,
      entries: new Set(all.map((parts) => printEntry(set.type, parts))),
    })),
  );
}

function arbitraryHeader(): fc.Arbitrary<SetHeader> {
  const name = fc.stringMatching(/^[A-Z][A-Z0-9-]{0,30}$/);
  return fc
    .record({ name, type: fc.constantFrom(...SET_TYPES), family: fc.constantFrom("inet", "inet6") })
    .map((set) => (set.type === "bitmap:port" ? { ...set, family: "none" } : set));
}

function arbitraryParts({ type, family }: SetHeader): fc.Arbitrary<EntryParts> {
  const port = fc.nat(65_535);
  if (type === "bitmap:port") return fc.record({ port });
  const address = arbitraryAddress(family);
  if (type === "hash:ip") return fc.record({ address });
  const protocol = fc.constantFrom(6, 17, 132, 136, 47);
  if (type === "hash:ip,port") return fc.record({ address, port, protocol });
  return fc
    .record({ address, port, protocol, second: address, prefix: arbitraryPrefix(family) })
    .map((parts) => secondOf(type, parts));
}

function secondOf(type: SetType, { prefix, ...parts }: Required<Omit<EntryParts, "nomatch">>): EntryParts {
  if (type === "hash:ip,port,ip") return parts;
  const network = parseCidr(`${parts.second}/${prefix}`)?.text ?? "";
  return { ...parts, second: network.slice(0, network.indexOf("/")), prefix };
}

/** Of IPv6 some that are mostly zeros, but none that is IPv4 in another form. */
function arbitraryAddress(family: SetHeader["family"]): fc.Arbitrary<string> {
  if (family === "inet") return fc.uint8Array({ minLength: 4, maxLength: 4 }).map(addressText);
  const group = fc.oneof(fc.constant(0), fc.nat(65_535));
  return fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => {
    const bytes = Uint8Array.from(groups.flatMap((number) => [number >> 8, number & 255]));
    if (groups[5] === 0xffff) bytes[11] = 0xfe;
    return addressText(bytes);
  });
}

function arbitraryPrefix(family: SetHeader["family"]): fc.Arbitrary<number> {
  return fc.integer({ min: 1, max: family === "inet" ? 32 : 128 });
}
