// What if the kernel's sets, virtual servers and interfaces were kept in this process? Below `kernel/`, as the kernel
// itself: it says what is there already and what is not, takes the rest of a batch, and refuses what it is told to.
import { KernelError } from "../../src/errors.ts";
import { addressBytes } from "../../src/kernel/address-bytes.ts";
import type { IpvsAccess } from "../../src/kernel/ipvs.ts";
import { observeIpvs } from "../../src/kernel/ipvs-observe.ts";
import { carryOutIpvs } from "../../src/kernel/ipvs-step.ts";
import type { Converse, NetlinkProtocol } from "../../src/kernel/netlink.ts";
import type { Family } from "../../src/net/family.ts";
import type { IpvsStep } from "../../src/plan/plan.ts";
import type { SetHeader } from "../../src/state/ip-set.ts";
import { IPVS_DEVICE } from "../../src/state/node-facts.ts";
import { ipvsKernel } from "./ipvs-kernel.ts";
import { KernelJournal } from "./kernel-journal.ts";
import { linkKernel } from "./link-kernel.ts";
import { setKernel } from "./set-kernel.ts";

/** Is what is asked lost, so that nothing is done, or the answer to it? */
export type Losing = (protocol: NetlinkProtocol, purpose: "batch" | "dump") => "request" | "answer" | undefined;

export class IpvsMemory implements IpvsAccess {
  readonly journal = new KernelJournal();
  /** How many times somebody talked to it. */
  conversations = 0;
  loses: Losing | undefined;

  readonly #links = linkKernel(this.journal);
  readonly #sets = setKernel(this.journal);
  readonly #servers = ipvsKernel({ journal: this.journal });

  readonly converse: Converse = async (protocol, purpose, talk) => {
    this.conversations += 1;
    const parts = { route: this.#links, netfilter: this.#sets, generic: this.#servers };
    const lost = this.loses?.(protocol, purpose);
    if (lost !== "request") {
      const answer = await parts[protocol].converse(protocol, purpose, talk);
      if (lost === undefined) return answer;
    }
    throw new KernelError({ step: `${protocol} netlink`, target: "answer", code: "ETIMEDOUT", words: "no answer" });
  };

  readonly readProc = () => this.#servers.readProc();

  /** Somebody else's doing, of which the journal says nothing. */
  async edit(...steps: readonly IpvsStep[]): Promise<void> {
    const { refuses, changes, needless, broken } = this.journal;
    const lengths = [changes, needless, broken].map((list) => [list, list.length] as const);
    this.journal.refuses = () => 0;
    for (const step of steps) await carryOutIpvs(step, this);
    this.journal.refuses = refuses;
    for (const [list, length] of lengths) list.length = length;
  }

  /** So many connections of a real server, behind whatever virtual server. */
  connect(address: string, port: number, connections: number): void {
    const number = Buffer.alloc(2);
    number.writeUInt16BE(port);
    this.#servers.setActive(Buffer.concat([addressBytes(address), number]).toString("hex"), connections);
  }

  /** An address of a network, which is somebody else's. */
  bindNetwork(device: string, address: string, prefix: number): void {
    this.#links.bindNetwork(device, address, prefix);
  }

  /** All that is there of a family, as production reads it, in an order that says nothing. */
  async look(family: Family, sets: readonly SetHeader[]) {
    const names = sets.map(({ name }) => name);
    const found = await observeIpvs(family, { sets: names, device: IPVS_DEVICE }, this);
    return { ...found, addresses: [...found.addresses].sort() };
  }

  /** Names of all sets. */
  get setNames(): readonly string[] {
    return [...this.#sets.sets.keys()];
  }
}
