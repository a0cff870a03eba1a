// Are these counts what fair lots would give?

/** Of ten million fair runs, one is called unfair. */
const NORMAL_QUANTILE = 5.2;

/**
 * Pearson's test of counts against equal shares, its bound by Wilson and Hilferty's approximation.
 * @param {readonly number[]} counts
 */
export function isEven(counts) {
  const share = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const distance = counts.reduce((sum, count) => sum + (count - share) ** 2 / share, 0);
  const freedom = counts.length - 1;
  const spread = 2 / (9 * freedom);
  return distance <= freedom * (1 - spread + NORMAL_QUANTILE * Math.sqrt(spread)) ** 3;
}
