// Lists and deletes tables of nf_tables, and digests our chains in them, over nfnetlink (linux/netfilter/nf_tables.h).
import { createHash } from "node:crypto";
import { KernelError } from "../errors.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import { attribute, readAttributes } from "./attributes.ts";
import { netfilterDump, withSocket } from "./netlink.ts";
import { dump } from "./netlink-dump.ts";
import { errnoName, errnoOf, frame, type Request, readMessages } from "./netlink-message.ts";
import { unlessRefused } from "./refused.ts";

// nf_tables is nfnetlink subsystem 10; a transaction begins and ends with messages of nfnetlink itself.
const SUBSYSTEM = 10;
const GET_TABLE = SUBSYSTEM * 256 + 1;
const DELETE_TABLE = SUBSYSTEM * 256 + 2;
const GET_CHAIN = SUBSYSTEM * 256 + 4;
const BEGIN = 0x10;
const END = 0x11;

/** Bytes of nfnetlink's own header in front of the attributes: family, version, resource. */
const NFNETLINK = 4;

/** The attribute of a table's name. */
const NAME = 1;

const FAMILY: Readonly<Record<Family, number>> = { IPv4: 2, IPv6: 10 };

const ACK = 0x4;
const ENOENT = 2;

/** The families that have a table of this name. Rejects with KernelError where the kernel knows no nf_tables. */
export async function familiesOfTable(name: string): Promise<readonly Family[]> {
  const tables = await netfilterDump(GET_TABLE);
  return FAMILIES.filter((family) => tables.some((table) => table[0] === FAMILY[family] && nameIn(table) === name));
}

/** Takes the table away with all that is in it; one that is not there is no fault. Rejects with KernelError. */
export async function deleteTable(family: Family, name: string): Promise<void> {
  const table = attribute(NAME, Buffer.from(`${name}\0`));
  const requests: readonly Request[] = [
    { type: BEGIN, flags: 0, payload: header(0) },
    { type: DELETE_TABLE, flags: ACK, payload: Buffer.concat([header(FAMILY[family]), table]) },
    { type: END, flags: 0, payload: header(0) },
  ];
  const errno = await withSocket("netfilter", "batch", async ({ exchange }) => {
    let answer = 0;
    await exchange(frame(requests, 0), (datagram) => {
      const [told] = readMessages(datagram);
      answer = told ? errnoOf(told) : 0;
      return true;
    });
    return answer;
  });
  if (errno === 0 || errno === ENOENT) return;
  const words = "the table cannot be deleted";
  throw new KernelError({ step: "nftables", target: `${family} ${name}`, code: errnoName(errno), words });
}

/**
 * Returns a digest of the chains with a KUBE- name in the tables of this family: their names, handles, and numbers of
 * rules and references (NFTA_CHAIN_USE). Undefined where they cannot be read, or changed during each attempt to.
 */
export async function digestOfChains(family: Family): Promise<string | undefined> {
  const request = { protocol: "netfilter", type: GET_CHAIN, payload: header(FAMILY[family]) } as const;
  // The header has the generation. Base chains, which have counters, never have such a name.
  const read = (payload: Buffer) => (payload.includes("KUBE-") ? Buffer.from(payload.subarray(NFNETLINK)) : undefined);
  const chains = await unlessRefused(dump(request, read), { found: [], whole: false });
  if (!chains.whole) return undefined;
  const hash = createHash("sha256");
  for (const chain of chains.found) hash.update(chain);
  return hash.digest("hex");
}

function nameIn(table: Uint8Array): string {
  const name = readAttributes(table.subarray(NFNETLINK)).get(NAME);
  return name?.toString("latin1").replace(/\0$/, "") ?? "";
}

/** The subsystem is what begin and end ask for; in requests to it the field is not looked at. */
function header(family: number): Buffer {
  return Buffer.from([family, 0, 0, SUBSYSTEM]);
}
