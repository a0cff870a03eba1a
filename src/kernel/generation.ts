// Did nf_tables move, and was it us?
import { FAMILIES, type Family } from "../net/family.ts";
import { netfilterAnswer } from "./netlink.ts";
import { unlessRefused } from "./refused.ts";

// nf_tables is nfnetlink subsystem 10; message 16 asks for the generation, whose number is the first attribute.
const GET_GENERATION = 10 * 256 + 16;

/** Every change to nf_tables, by whomever, makes a new generation of all tables in the network namespace. */
export class GenerationWatch {
  #believed: number | undefined;
  /** Families that have not been told yet of a change that was not ours. */
  readonly #untold = new Set<Family>();
  readonly #read: () => Promise<number | undefined>;
  #turn: Promise<unknown> = Promise.resolve();

  /** `read` gives the present generation; undefined where the kernel does not tell. */
  constructor(read: () => Promise<number | undefined> = readGeneration) {
    this.#read = read;
  }

  /** Does something that changes up to so many tables, one transaction each. Such changes never overlap. */
  ours<T>(tables: number, change: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#look(0);
      try {
        return await change();
      } finally {
        await this.#look(tables);
      }
    });
  }

  /** Did somebody else change anything since this family was last told so? */
  moved(family: Family): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#look(0);
      return this.#untold.delete(family);
    });
  }

  /** One after the other: looking in the midst of a change of ours would take it for somebody else's. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** A transaction that changes nothing makes no generation, so fewer than expected are no surprise. */
  async #look(expected: number): Promise<void> {
    const generation = await this.#read();
    const foreign = generation === undefined || generation - (this.#believed ?? Number.NaN) > expected;
    if (foreign || this.#believed === undefined) for (const family of FAMILIES) this.#untold.add(family);
    this.#believed = generation;
  }
}

/** The present generation; undefined where the kernel does not tell. */
export function readGeneration(): Promise<number | undefined> {
  const numberIn = ([answer]: readonly Uint8Array[]) => answer && Buffer.from(answer).readUInt32BE(8);
  return unlessRefused(netfilterAnswer(GET_GENERATION).then(numberIn), undefined);
}
