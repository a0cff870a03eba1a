// Tells changes that other software made to nf_tables from our own, by the generation number of the ruleset.
import { FAMILIES, type Family } from "../net/family.ts";
import { netfilterAnswer } from "./netlink.ts";
import { unlessRefused } from "./refused.ts";

// nf_tables is nfnetlink subsystem 10; message 16 asks for the generation, whose number is the first attribute.
const GET_GENERATION = 10 * 256 + 16;

/** Each transaction that changes nf_tables increments the generation of the network namespace by one. */
export class GenerationWatch {
  #believed: number | undefined;
  /** Families for which a foreign change was not reported yet. */
  readonly #untold = new Set<Family>();
  readonly #read: () => Promise<number | undefined>;
  #turn: Promise<unknown> = Promise.resolve();

  /** `read` returns the present generation; undefined where the kernel does not tell. */
  constructor(read: () => Promise<number | undefined> = readGeneration) {
    this.#read = read;
  }

  /**
   * Runs a change of ours that makes exactly this number of transactions, one for each table. Any other number, and a
   * change that fails, counts as foreign: a transaction of other software may be among ours. Changes never overlap.
   */
  ours<T>(tables: number, change: () => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      await this.#look(0);
      let expected: number | undefined;
      try {
        const result = await change();
        expected = tables;
        return result;
      } finally {
        await this.#look(expected);
      }
    });
  }

  /** Whether other software may have changed anything since the last call for this family. */
  moved(family: Family): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#look(0);
      return this.#untold.delete(family);
    });
  }

  /** One after the other: reading the generation during a change of ours would count it as foreign. */
  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(action);
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** `expected`: transactions of ours since the last read; undefined where that is not known. */
  async #look(expected: number | undefined): Promise<void> {
    const generation = await this.#read();
    const isOurs = generation !== undefined && generation - (this.#believed ?? Number.NaN) === expected;
    if (!isOurs) for (const family of FAMILIES) this.#untold.add(family);
    this.#believed = generation;
  }
}

/** Returns the present generation (NFT_MSG_GETGEN); undefined where the kernel does not tell. */
export function readGeneration(): Promise<number | undefined> {
  const numberIn = ([answer]: readonly Uint8Array[]) => answer && Buffer.from(answer).readUInt32BE(8);
  return unlessRefused(netfilterAnswer(GET_GENERATION).then(numberIn), undefined);
}
