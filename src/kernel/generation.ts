// Did nf_tables move, and was it us?
import { KernelError } from "../errors.ts";
import { FAMILIES, type Family } from "../net/family.ts";
import { netfilterAnswer } from "./netlink.ts";

// nf_tables is nfnetlink subsystem 10; message 16 asks for the generation, whose number is the first attribute.
const GET_GENERATION = 10 * 256 + 16;

/** Every change to nf_tables, by whomever, makes a new generation of all tables in the network namespace. */
export class GenerationWatch {
  #believed: number | undefined;
  /** Families that have not been told yet of a change that was not ours. */
  readonly #untold = new Set<Family>();
  #turn: Promise<unknown> = Promise.resolve();

  /** Does something that changes up to so many tables, one transaction each. Such changes never overlap. */
  async ours<T>(tables: number, change: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(async () => {
      await this.#look(0);
      try {
        return await change();
      } finally {
        await this.#look(tables);
      }
    });
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Did somebody else change anything since this family was last told so? */
  async moved(family: Family): Promise<boolean> {
    await this.#turn;
    await this.#look(0);
    return this.#untold.delete(family);
  }

  /** A transaction that changes nothing makes no generation, so fewer than expected are no surprise. */
  async #look(expected: number): Promise<void> {
    const generation = await readGeneration();
    const foreign = generation === undefined || generation - (this.#believed ?? Number.NaN) > expected;
    if (foreign || this.#believed === undefined) for (const family of FAMILIES) this.#untold.add(family);
    this.#believed = generation;
  }
}

/** The present generation; undefined where the kernel does not tell. */
async function readGeneration(): Promise<number | undefined> {
  try {
    const [answer] = await netfilterAnswer(GET_GENERATION);
    return answer === undefined ? undefined : Buffer.from(answer).readUInt32BE(8);
  } catch (error) {
    if (error instanceof KernelError) return undefined;
    throw error;
  }
}
