// Which UDP flows does the kernel remember, and how does it forget some?
import { KernelError } from "../errors.ts";
import type { Family } from "../net/family.ts";
import type { FlowSearch, UdpFlow } from "../state/udp-flow.ts";
import { deleteRequest, GET, isFound, readFlow, searchPayload } from "./conntrack-codec.ts";
import { sendBatch } from "./netlink-batch.ts";
import { dump } from "./netlink-dump.ts";
import { errnoName } from "./netlink-message.ts";

const ENOENT = 2;

/** The flows that were found. A flow may be among them twice. */
export interface FoundFlows {
  readonly flows: readonly UdpFlow[];
  /** False when the table changed at each attempt to read it: some may be missing. */
  readonly whole: boolean;
}

/** UDP flows of a family: all, or those that are searched, one dump for each search. Rejects with KernelError. */
export async function listUdpFlows(family: Family, searches: "all" | readonly FlowSearch[]): Promise<FoundFlows> {
  const flows: UdpFlow[] = [];
  let whole = true;
  for (const search of searches === "all" ? [undefined] : searches) {
    const request = { protocol: "netfilter", type: GET, payload: searchPayload(family, search) } as const;
    const found = await dump(request, (payload) => {
      const flow = readFlow(payload, family);
      return flow === undefined || search === undefined || isFound(flow, search) ? flow : undefined;
    });
    flows.push(...found.found);
    whole &&= found.whole;
  }
  return { flows, whole };
}

/**
 * Deletes these entries; one that is gone by itself, or has made room for another, is as good. Gives how many were
 * deleted. Rejects with KernelError when the kernel refuses one; the others are deleted all the same.
 */
export async function deleteFlows(flows: readonly UdpFlow[]): Promise<number> {
  const results = await sendBatch("netfilter", flows.map(deleteRequest));
  const refused = results.findIndex((errno) => errno !== 0 && errno !== ENOENT);
  if (refused >= 0) throw refusalOf(flows[refused], results[refused] ?? 0);
  return results.filter((errno) => errno === 0).length;
}

function refusalOf(flow: UdpFlow | undefined, errno: number): KernelError {
  const target = `${flow?.client.text} to ${flow?.destination.text}`;
  return new KernelError({ step: "conntrack", target, code: errnoName(errno), words: "the flow cannot be deleted" });
}
