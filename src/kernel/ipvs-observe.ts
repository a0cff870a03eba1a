// Reads the sets, virtual servers and bound addresses of IPVS mode from the kernel.
import type { Family } from "../net/family.ts";
import type { IpvsState } from "../state/kernel-state.ts";
import { readSets } from "./ipset.ts";
import { hasIpvs, type IpvsAccess, MACHINE, ServerReader } from "./ipvs.ts";
import { deviceAddresses, findDevice } from "./link.ts";
import type { LinkRange } from "./link-codec.ts";

/** What to look at. */
export interface IpvsLook {
  /** Names of sets. */
  readonly sets: readonly string[];
  /** Absent: neither servers nor addresses. */
  readonly device: string | undefined;
  /** A kernel without IPVS is one without servers. */
  readonly optional?: boolean;
}

export type ObservedIpvs = Extract<IpvsState, { kind: "observed" }>;

const NO_SERVERS = { kind: "observed", servers: [], devices: [], addresses: [] } as const;

/** Bits of an address that stands alone. */
const WHOLE: Readonly<Record<Family, number>> = { IPv4: 32, IPv6: 128 };

/** Rejects with KernelError, with code ENOENT where the kernel has no IPVS. */
export async function observeIpvs(
  family: Family,
  { sets, device, optional }: IpvsLook,
  access: IpvsAccess = MACHINE,
  servers: ServerReader = new ServerReader(access),
): Promise<ObservedIpvs> {
  const { converse } = access;
  if (device === undefined) return { ...NO_SERVERS, ...(await readSets(sets, converse)) };
  const link = await findDevice(device, converse);
  const addresses = link ? await deviceAddresses(link.index, family, converse) : [];
  return {
    kind: "observed",
    ...(await readSets(sets, converse)),
    servers: optional && !(await hasIpvs(access)) ? [] : await servers.read(family),
    devices: link ? [device] : [],
    addresses: addresses.filter((range) => isAlone(range, family)).map(({ address }) => address),
  };
}

/** One of a network is somebody else's, and can be neither asked for nor removed as ours are. */
function isAlone({ prefix }: LinkRange, family: Family): boolean {
  return prefix === WHOLE[family];
}
