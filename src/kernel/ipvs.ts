// Reads and changes the virtual and real servers of the kernel.
import { KernelError } from "../errors.ts";
import { familyOf } from "../net/address.ts";
import type { Family } from "../net/family.ts";
import type { ServerChange } from "../state/server-change.ts";
import { type BusyServer, type ObservedServer, printIdentity, type ServerIdentity } from "../state/virtual-server.ts";
import { findFamily } from "./generic-netlink.ts";
import { readReal, readServer } from "./ipvs-answer.ts";
import {
  flushRequest,
  type IpvsTimeouts,
  realServersPayload,
  serverRequests,
  serversPayload,
  timeoutsRequest,
} from "./ipvs-codec.ts";
import { FAMILY_NAME } from "./ipvs-numbers.ts";
import { type ProcText, readProcServers } from "./ipvs-proc.ts";
import { readIpvsProc } from "./ipvs-proc-file.ts";
import { insteadOf, serverRefusal } from "./ipvs-refusal.ts";
import { type Converse, withSocket } from "./netlink.ts";
import { sendBatch } from "./netlink-batch.ts";
import { countMessages, dump } from "./netlink-dump.ts";
import { errnoName, type Request } from "./netlink-message.ts";

/** Changes that are put into words before the next ones are, so that many take neither much memory nor a long pause. */
const AT_ONCE = 4096;

/** Where IPVS is to be found; another place only where the kernel is a function of a test. */
export interface IpvsAccess {
  readonly converse: Converse;
  /** The text of /proc/net/ip_vs. */
  readonly readProc: () => ProcText;
  /** How often the module `ip_vs` is used; absent or undefined where that is not known. */
  readonly moduleUsers?: () => Promise<number | undefined>;
}

export const MACHINE: IpvsAccess = { converse: withSocket, readProc: readIpvsProc };

/** All virtual servers of both families. Rejects with KernelError. */
export async function countServers(converse: Converse): Promise<number> {
  const request = { protocol: "generic", type: await numberOf(converse), payload: serversPayload() } as const;
  return countMessages(request, () => true, converse);
}

/** Does this kernel have IPVS? It loads the module if it can. Rejects with KernelError when it does not say. */
export async function hasIpvs({ converse }: IpvsAccess = MACHINE): Promise<boolean> {
  return (await findFamily(FAMILY_NAME, converse)) !== undefined;
}

/**
 * All virtual servers of a family with their real servers, whoever made them; those by firewall mark, and of other
 * protocols than Services have, are left out. One that comes or goes meanwhile may be among them or not. Rejects with
 * KernelError, with code ENOENT where the kernel has no IPVS.
 */
export async function readServers(family: Family, access: IpvsAccess = MACHINE): Promise<readonly ObservedServer[]> {
  return (await readAllServers(access)).filter(({ address }) => familyOf(address) === family);
}

async function readAllServers({ converse, readProc }: IpvsAccess): Promise<readonly ObservedServer[]> {
  const request = { protocol: "generic", type: await numberOf(converse), payload: serversPayload() } as const;
  const { found } = await dump(request, readServer, converse);
  const listed = new Map(found.map((server) => [printIdentity(server), server]));
  const servers: ObservedServer[] = [];
  for (const { realServers, ...told } of await readProcServers(readProc())) {
    const server = listed.get(printIdentity(told));
    if (server !== undefined) servers.push({ ...server, realServers });
  }
  return servers;
}

/** Reads the servers of both families at once, for both families if they ask while the same read is under way. */
export class ServerReader {
  readonly #access: IpvsAccess;
  #reading: Promise<readonly ObservedServer[]> | undefined;

  constructor(access: IpvsAccess) {
    this.#access = access;
  }

  /** As `readServers`. */
  async read(family: Family): Promise<readonly ObservedServer[]> {
    const reading = this.#reading ?? readAllServers(this.#access);
    this.#reading = reading;
    try {
      return (await reading).filter(({ address }) => familyOf(address) === family);
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
  }

  /** To be called after a change of servers: a read that is under way may have missed it. */
  invalidate(): void {
    this.#reading = undefined;
  }
}

/** The real servers behind one virtual server; none where that is missing. Rejects with KernelError. */
export async function readRealServers(
  server: ServerIdentity,
  { converse }: IpvsAccess = MACHINE,
): Promise<readonly BusyServer[]> {
  const request = { protocol: "generic", type: await numberOf(converse), payload: realServersPayload(server) } as const;
  const { found } = await dump(request, (payload) => readReal(payload, familyOf(server.address)), converse);
  return found;
}

/**
 * Makes these changes, in order, and tells of each how it went: undefined where the kernel is as it should be, else
 * the refusal. One that is refused does not stop those behind it. Rejects with KernelError when there is no IPVS, when
 * rights are missing, or when no answer comes; what was done by then is not known.
 */
export async function changeServers(
  changes: readonly ServerChange[],
  { converse }: IpvsAccess = MACHINE,
): Promise<readonly (KernelError | undefined)[]> {
  const refusals: (KernelError | undefined)[] = [];
  for (let first = 0; first < changes.length; first += AT_ONCE) {
    refusals.push(...(await changeSome(changes.slice(first, first + AT_ONCE), converse)));
  }
  return refusals;
}

async function changeSome(
  changes: readonly ServerChange[],
  converse: Converse,
): Promise<readonly (KernelError | undefined)[]> {
  const number = await numberOf(converse);
  const results = await sendBatch("generic", serverRequests(number, changes), converse);
  if (results.every((errno) => errno === 0)) return changes.map(() => undefined);
  const settled: (number | undefined)[] = [...results];
  const instead = changes.flatMap((change, index) => {
    const other = insteadOf(change, results[index]);
    return other === undefined ? [] : [{ index, change: other }];
  });
  const requests = serverRequests(
    number,
    instead.map(({ change }) => change),
  );
  const again = await sendBatch("generic", requests, converse);
  for (const [at, { index }] of instead.entries()) settled[index] = again[at];
  return changes.map((change, index) => serverRefusal(change, settled[index]));
}

/** Sets the seconds after which idle connections are forgotten. Rejects with KernelError. */
export function changeTimeouts(timeouts: IpvsTimeouts, { converse }: IpvsAccess = MACHINE): Promise<void> {
  const { tcp, tcpFin, udp } = timeouts;
  return sendOne(converse, `timeouts ${tcp} ${tcpFin} ${udp}`, (number) => timeoutsRequest(number, timeouts));
}

/** Deletes every virtual server, of both families and of whomever. Rejects with KernelError. */
export function deleteAllServers({ converse }: IpvsAccess = MACHINE): Promise<void> {
  return sendOne(converse, "all virtual servers", flushRequest);
}

async function sendOne(converse: Converse, target: string, requestFor: (number: number) => Request): Promise<void> {
  const [errno = 0] = await sendBatch("generic", [requestFor(await numberOf(converse))], converse);
  if (errno === 0) return;
  throw new KernelError({ step: "ipvs", target, code: errnoName(errno), words: "the kernel refuses" });
}

/** Asked each time: the module may have been unloaded, and its number given to another. */
async function numberOf(converse: Converse): Promise<number> {
  const number = await findFamily(FAMILY_NAME, converse);
  if (number !== undefined) return number;
  throw new KernelError({ step: "ipvs", target: "kernel", code: "ENOENT", words: "it has no IPVS" });
}
