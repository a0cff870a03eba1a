// Carries out steps on sets, virtual servers and the interface of IPVS mode.
import type { KernelError } from "../errors.ts";
import type { IpvsStep } from "../plan/plan.ts";
import { entryKey, realKey, serverKey } from "../state/ipvs-claims.ts";
import type { Retirement, ServerChange } from "../state/server-change.ts";
import type { SetChange } from "../state/set-change.ts";
import { changeSets } from "./ipset.ts";
import { changeServers, type IpvsAccess, MACHINE } from "./ipvs.ts";
import { retireServers } from "./ipvs-retire.ts";
import { bindAddresses, ensureDevice, removeDevice, unbindAddresses } from "./link.ts";

/** One thing of many that the kernel refused; all others of the step are done. */
export interface ItemRefusal {
  /** As `ipvs-claims.ts` makes keys. */
  readonly key: string;
  readonly error: KernelError;
}

/** What a step came to. */
export interface StepOutcome {
  readonly items: readonly ItemRefusal[];
  /** Real servers that still have connections. */
  readonly draining: readonly Retirement[];
}

export const ALL_WELL: StepOutcome = { items: [], draining: [] };

const DUMMY = "dummy";

/** Rejects with KernelError when nothing can be done, or a set or interface cannot be made that all else needs. */
export async function carryOutIpvs(step: IpvsStep, access: IpvsAccess = MACHINE): Promise<StepOutcome> {
  const { converse } = access;
  switch (step.kind) {
    case "device":
      await ensureDevice({ name: step.name, kind: DUMMY }, converse);
      return ALL_WELL;
    case "remove-device":
      await removeDevice({ name: step.name, kind: DUMMY }, converse);
      return ALL_WELL;
    case "sets":
      return refused(await changeAllSets(step.changes, access));
    case "servers":
      return refused(await changeAllServers(step.changes, access));
    case "retire": {
      const { draining, refusals } = await retireServers(step.reals, access);
      return { draining, items: itemsOf(step.reals, refusals, ({ server, real }) => realKey(server, real)) };
    }
    case "bind":
    case "unbind": {
      const index = await ensureDevice({ name: step.device, kind: DUMMY }, converse);
      const change = step.kind === "bind" ? bindAddresses : unbindAddresses;
      return refused(itemsOf(step.addresses, await change(index, step.addresses, converse), (address) => address));
    }
  }
}

function refused(items: readonly ItemRefusal[]): StepOutcome {
  return { items, draining: [] };
}

/** Of the things that were to be changed those that the kernel refused: most often none, so none has a key before. */
function itemsOf<T>(
  things: readonly T[],
  refusals: readonly (KernelError | undefined)[],
  keyOf: (thing: T) => string,
): readonly ItemRefusal[] {
  return things.flatMap((thing, index) => {
    const error = refusals[index];
    return error ? [{ key: keyOf(thing), error }] : [];
  });
}

/** A set that cannot be created fails the whole step: rules may refer to it. One that cannot be destroyed is an item. */
async function changeAllSets(changes: readonly SetChange[], { converse }: IpvsAccess): Promise<readonly ItemRefusal[]> {
  const items: ItemRefusal[] = [];
  for (const change of changes) {
    const errors = (await changeSets([change], converse)).flat();
    if ("entries" in change) items.push(...errors.map((error) => ({ key: entryOf(change.set.name, error), error })));
    else if (change.kind === "destroy") items.push(...errors.map((error) => ({ key: change.name, error })));
    else if (errors[0]) throw errors[0];
  }
  return items;
}

/** A refusal of an entry is about `SET ENTRY`. */
function entryOf(set: string, { refusal }: KernelError): string {
  return entryKey({ set, entry: refusal.target.slice(set.length + 1) });
}

/** A real server without its virtual server is refused for that alone. */
async function changeAllServers(changes: readonly ServerChange[], access: IpvsAccess): Promise<readonly ItemRefusal[]> {
  const items = itemsOf(changes, await changeServers(changes, access), keyOf);
  if (items.length === 0) return items;
  const servers = new Set(changes.filter((change) => !("real" in change)).map(keyOf));
  const missing = new Set(items.filter(({ key }) => servers.has(key)).map(({ key }) => key));
  return items.filter(({ key }) => missing.has(key) || ![...missing].some((server) => key.startsWith(`${server} `)));
}

function keyOf(change: ServerChange): string {
  return "real" in change ? realKey(change.server, change.real) : serverKey(change.server);
}
