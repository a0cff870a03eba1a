// Which probability does the kernel make of a fraction?

const RESOLUTION = 2 ** 31;

/**
 * The probability of the first of n endpoints, as `iptables-save` prints it: the kernel keeps a share of 2^31, made of
 * the ten decimals that kube-proxy writes, and the tool prints that share with eleven.
 */
export function kernelProbability(n: number): string {
  const known = texts[n];
  if (known !== undefined) return known;
  const text = elevenDecimals(Math.round(RESOLUTION * Number(tenDecimals(n))));
  texts[n] = text;
  return text;
}

/** The nearest to part/whole that the kernel can keep, as `iptables-save` prints it. */
export function nearestProbability(part: number, whole: number): string {
  return elevenDecimals(Math.round((RESOLUTION * part) / whole));
}

/** What was worked out, by n: most Services have few endpoints. */
const texts: (string | undefined)[] = [];

/** 1/n with ten decimals as Go prints it: ties go to the even digit, where toFixed takes the larger. */
function tenDecimals(n: number): string {
  return n === 2048 ? "0.0004882812" : (1 / n).toFixed(10);
}

/** Eleven decimals are made in two goes: no product is then too large to be exact. */
const [FIRST, REST] = [10 ** 5, 10 ** 6];

/** `%.11f` of share / 2^31, exact, ties to even: digits beyond the eleventh are cut in whole numbers. */
function elevenDecimals(share: number): string {
  const first = share * FIRST;
  const rest = (first % RESOLUTION) * REST;
  const digits = Math.floor(first / RESOLUTION) * REST + Math.floor(rest / RESOLUTION);
  const left = (rest % RESOLUTION) * 2;
  const up = left > RESOLUTION || (left === RESOLUTION && digits % 2 === 1);
  const text = (up ? digits + 1 : digits).toString().padStart(12, "0");
  return `${text.slice(0, -11)}.${text.slice(-11)}`;
}
