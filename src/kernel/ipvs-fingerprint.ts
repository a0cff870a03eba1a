// A cheap check whether other software changed sets, virtual servers or the interface of IPVS mode.
import { readFile } from "node:fs/promises";
import type { IpvsStep } from "../plan/plan.ts";
import { IPVS_DEVICE } from "../state/node-facts.ts";
import { countEntries } from "./ipset.ts";
import { countServers, type IpvsAccess } from "./ipvs.ts";
import type { StepOutcome } from "./ipvs-step.ts";
import { countAddresses, findDevice } from "./link.ts";

/** Numbers that other software can hardly change back by chance. */
export interface IpvsFingerprint {
  /** Index of the interface; 0 without one. */
  readonly link: number;
  /** Addresses of both families on it. */
  readonly addresses: number;
  /** Virtual servers, or, where `ip_vs` is a module, its users, each of which a virtual server is. */
  readonly servers: number;
  /** Entries of all our sets together. */
  readonly entries: number;
}

/** Rejects with KernelError. */
export async function ipvsFingerprint({ converse, moduleUsers }: IpvsAccess): Promise<IpvsFingerprint> {
  const link = (await findDevice(IPVS_DEVICE, converse))?.index ?? 0;
  return {
    link,
    addresses: link === 0 ? 0 : await countAddresses(link, converse),
    servers: (await moduleUsers?.()) ?? (await countServers(converse)),
    entries: await countEntries(converse),
  };
}

/** Users of the module `ip_vs`; undefined where it is part of the kernel, or `/sys` is not to be seen. */
export async function readModuleUsers(path = "/sys/module/ip_vs/refcnt"): Promise<number | undefined> {
  return readFile(path, "utf8").then(
    (text) => Number.parseInt(text, 10),
    () => undefined,
  );
}

/**
 * Compares the fingerprint with the one that our own changes must have led to. In place of a dump of everything this
 * takes milliseconds, at thousands of Services too. What is replaced one by one is only seen by a full observation.
 */
export class IpvsWatch {
  readonly #read: () => Promise<IpvsFingerprint>;
  #expected: IpvsFingerprint | undefined;
  /** Steps that began or ended; a check that one of them fell into says nothing. */
  #steps = 0;
  #underWay = 0;

  constructor(read: () => Promise<IpvsFingerprint>) {
    this.#read = read;
  }

  /** Carries out a step of ours. */
  async ours(step: IpvsStep, carryOut: () => Promise<StepOutcome>): Promise<StepOutcome> {
    this.#steps += 1;
    this.#underWay += 1;
    try {
      const outcome = await carryOut();
      if (this.#expected) this.#expected = afterStep(this.#expected, step, outcome);
      return outcome;
    } catch (error) {
      // How far it came is unknown.
      this.#expected = undefined;
      throw error;
    } finally {
      this.#steps += 1;
      this.#underWay -= 1;
    }
  }

  /** Did other software change anything since the last call? The first call only learns. Rejects with KernelError. */
  async moved(): Promise<boolean> {
    const [began, first] = [this.#steps, await this.#read()];
    if (this.#expected && isSame(first, this.#expected)) return false;
    // A process that lists the servers at this moment also counts as a user of the module.
    const second = await this.#read();
    if (this.#underWay > 0 || began !== this.#steps || !isSame(first, second)) return false;
    const learned = this.#expected === undefined;
    this.#expected = first;
    return !learned;
  }
}

function isSame(one: IpvsFingerprint, other: IpvsFingerprint): boolean {
  return (
    one.addresses === other.addresses &&
    one.servers === other.servers &&
    one.entries === other.entries &&
    // Made by us, it has any index.
    (one.link === other.link || other.link === ANY_LINK)
  );
}

const ANY_LINK = -1;

function afterStep(before: IpvsFingerprint, step: IpvsStep, { items }: StepOutcome): IpvsFingerprint {
  switch (step.kind) {
    case "device":
    case "remove-device":
      return { ...before, link: ANY_LINK };
    case "bind":
      return { ...before, addresses: before.addresses + step.addresses.length - items.length };
    case "unbind":
      return { ...before, addresses: before.addresses - step.addresses.length + items.length };
    case "servers": {
      const of = (kind: string) => step.changes.filter((change) => change.kind === kind).length;
      return { ...before, servers: before.servers + of("add-server") - of("remove-server") };
    }
    case "sets": {
      const of = (kind: string) =>
        step.changes.reduce((sum, change) => sum + ("entries" in change && change.kind === kind ? size(change) : 0), 0);
      return { ...before, entries: before.entries + of("add") - of("remove") };
    }
    case "retire":
      return before;
  }
}

function size({
  set,
  entries,
}: {
  readonly set: { readonly name: string };
  readonly entries: Iterable<string>;
}): number {
  return set.name.endsWith("-SCRATCH") ? 0 : [...entries].length;
}
