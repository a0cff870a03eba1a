// With which seed does a randomised test run, so that it can be run again?
import t from "tap";

/** FAIRLEAD_SEED where it is set, else another one each time. It is printed. */
export function takeSeed(): number {
  const seed = Number(process.env.FAIRLEAD_SEED ?? Date.now() % 2 ** 31);
  t.comment(`seed ${seed} (FAIRLEAD_SEED=${seed} runs the same again)`);
  return seed;
}
