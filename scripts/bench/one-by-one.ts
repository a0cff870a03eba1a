// How long do the same changes of sets, servers and addresses take, each awaited before the next is sent?
import { findFamily } from "../../src/kernel/generic-netlink.ts";
import { createRequest, entryRequest, NEWEST_REVISION } from "../../src/kernel/ipset-codec.ts";
import { serverRequests } from "../../src/kernel/ipvs-codec.ts";
import { FAMILY_NAME } from "../../src/kernel/ipvs-numbers.ts";
import { ensureDevice } from "../../src/kernel/link.ts";
import { addAddressRequest } from "../../src/kernel/link-codec.ts";
import { type NetlinkProtocol, withSocket } from "../../src/kernel/netlink.ts";
import { errnoOf, frame, type Request, readMessages } from "../../src/kernel/netlink-message.ts";
import type { Step } from "../../src/plan/plan.ts";
import type { SetChange } from "../../src/state/set-change.ts";
import { parseEntry } from "../../src/state/set-entry.ts";

/** Milliseconds, over one socket for each part of the kernel. Interfaces are not counted. */
export async function timeOneByOne(steps: readonly Step[]): Promise<number> {
  const device = await ensureDevice();
  const family = (await findFamily(FAMILY_NAME)) ?? 0;
  let elapsed = 0;
  for (const step of steps) elapsed += await timeStep(step, device, family);
  return elapsed;
}

/** So many requests are in these steps, however many go into one send. */
export function countMessages(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + requestsOf(step, 0, 0).length, 0);
}

async function timeStep(step: Step, device: number, family: number): Promise<number> {
  const requests = requestsOf(step, device, family);
  const protocol = PROTOCOLS[step.kind];
  if (protocol === undefined) return 0;
  const start = performance.now();
  await withSocket(protocol, "batch", async ({ exchange }) => {
    for (const request of requests) {
      await exchange(frame([request], 1), (datagram) => {
        for (const message of readMessages(datagram)) {
          if (errnoOf(message) !== 0) throw new Error(`${step.kind}: errno ${errnoOf(message)}`);
        }
        return true;
      });
    }
  });
  return performance.now() - start;
}

const PROTOCOLS: Readonly<Partial<Record<Step["kind"], NetlinkProtocol>>> = {
  sets: "netfilter",
  servers: "generic",
  bind: "route",
};

function requestsOf(step: Step, device: number, family: number): readonly Request[] {
  switch (step.kind) {
    case "sets":
      return step.changes.flatMap(setRequests);
    case "servers":
      return serverRequests(family, step.changes);
    case "bind":
      return step.addresses.map((address) => addAddressRequest(device, address));
    case "retire":
      // Weight away, a look, and gone.
      return step.reals.flatMap(({ server, real }) =>
        serverRequests(family, new Array(3).fill({ kind: "remove-real", server, real })),
      );
    default:
      return [];
  }
}

/** Each entry by itself, as `ipset` is run for each by kube-proxy; here without the process. */
function setRequests(change: SetChange): readonly Request[] {
  if (change.kind === "create") return [createRequest(change.set, Math.min(5, NEWEST_REVISION[change.set.type]))];
  if (!("entries" in change)) return [];
  const { kind, set } = change;
  return [...change.entries].map((entry) => entryRequest(kind, set, [parseEntry(set, entry) ?? {}]));
}
