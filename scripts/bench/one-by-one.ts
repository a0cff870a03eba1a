// How long do the same changes of sets, servers and addresses take, each awaited before the next is sent?
import { findFamily } from "../../src/kernel/generic-netlink.ts";
import { createRequest, entryRequest, MOST_ENTRIES, NEWEST_REVISION } from "../../src/kernel/ipset-codec.ts";
import { serverRequests } from "../../src/kernel/ipvs-codec.ts";
import { FAMILY_NAME } from "../../src/kernel/ipvs-numbers.ts";
import { ensureDevice } from "../../src/kernel/link.ts";
import { addAddressRequest } from "../../src/kernel/link-codec.ts";
import { type NetlinkProtocol, withSocket } from "../../src/kernel/netlink.ts";
import { errnoOf, frame, type Request, readMessages } from "../../src/kernel/netlink-message.ts";
import type { Step } from "../../src/plan/plan.ts";
import type { SetChange } from "../../src/state/set-change.ts";
import { parseEntry } from "../../src/state/set-entry.ts";

/** Where requests go. */
interface Place {
  /** Index of the interface that has the addresses. */
  readonly device: number;
  /** The number of IPVS. */
  readonly family: number;
}

/** Of a kernel that is not asked. */
const NOWHERE: Place = { device: 0, family: 0 };

/**
 * Milliseconds of each step, over one socket for each. As with all at once, to put a request into words is a part of it.
 * Interfaces are not counted.
 */
export async function timeOneByOne(steps: readonly Step[]): Promise<readonly number[]> {
  const device = await ensureDevice();
  const family = (await findFamily(FAMILY_NAME)) ?? 0;
  const times: number[] = [];
  for (const step of steps) times.push(await timeStep(step, { device, family }));
  return times;
}

/** So many requests are in these steps, if each entry of a set is one. */
export function countMessages(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + [...requestsOf(step, NOWHERE)].length, 0);
}

/** So many requests are in these steps with as many entries in each as it may have. */
export function countFullMessages(steps: readonly Step[]): number {
  const most = MOST_ENTRIES.inet;
  return steps.reduce((sum, step) => {
    if (step.kind !== "sets") return sum + countMessages([step]);
    return step.changes.reduce((inSum, change) => inSum + Math.ceil([...setRequests(change)].length / most), sum);
  }, 0);
}

async function timeStep(step: Step, place: Place): Promise<number> {
  const protocol = PROTOCOLS[step.kind];
  if (protocol === undefined) return 0;
  const start = performance.now();
  await withSocket(protocol, "batch", async ({ exchange }) => {
    for (const request of requestsOf(step, place)) {
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

/** One after the other, each when it is its turn. */
function* requestsOf(step: Step, { device, family }: Place): Generator<Request> {
  switch (step.kind) {
    case "sets":
      for (const change of step.changes) yield* setRequests(change);
      break;
    case "servers":
      for (const change of step.changes) yield* serverRequests(family, [change]);
      break;
    case "bind":
      for (const address of step.addresses) yield addAddressRequest(device, address);
      break;
    case "retire":
      // Weight away, a look, and gone.
      for (const { server, real } of step.reals) {
        yield* serverRequests(family, new Array(3).fill({ kind: "remove-real", server, real }));
      }
      break;
  }
}

/** Each entry by itself, as `ipset` is run for each by kube-proxy; here without the process. */
function* setRequests(change: SetChange): Generator<Request> {
  if (change.kind === "create") yield createRequest(change.set, Math.min(5, NEWEST_REVISION[change.set.type]));
  if (!("entries" in change)) return;
  const { kind, set } = change;
  for (const entry of change.entries) yield entryRequest(kind, set, [parseEntry(set, entry) ?? {}]);
}
