// What was measured, and what is it to be held against?

export type Unit = "ms" | "µs" | "MB" | "lines" | "requests" | "processes" | "passes" | "%";

/** One question with its answers, and the answers of something simpler on the same machine in the same run. */
export interface Measurement {
  readonly question: string;
  readonly unit: Unit;
  /** One for each repeat, in order. */
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
  /** What the baseline is, in a few words. */
  readonly against: string;
}

/** A measurement in the figures that are printed. */
export interface Summary {
  readonly question: string;
  readonly unit: Unit;
  /** Medians. */
  readonly ours: number;
  readonly baseline: number;
  /** Ours for one of the baseline's; undefined where that is nothing. */
  readonly ratio: number | undefined;
  /** Least and most of ours, then of the baseline's. */
  readonly spread: readonly [least: number, most: number];
  readonly baselineSpread: readonly [least: number, most: number];
  readonly n: number;
  readonly against: string;
}

export function summarise({ question, unit, ours, baseline, against }: Measurement): Summary {
  const [mine, other] = [median(ours), median(baseline)];
  return {
    question,
    unit,
    ours: mine,
    baseline: other,
    ratio: other === 0 ? undefined : mine / other,
    spread: [Math.min(...ours), Math.max(...ours)],
    baselineSpread: [Math.min(...baseline), Math.max(...baseline)],
    n: ours.length,
    against,
  };
}

/** Measurements of the same question become one, with all repeats of both. */
export function joinRepeats(measurements: readonly Measurement[]): readonly Measurement[] {
  const joined = new Map<string, Measurement>();
  for (const one of measurements) {
    const before = joined.get(one.question);
    const ours = [...(before?.ours ?? []), ...one.ours];
    joined.set(one.question, { ...one, ours, baseline: [...(before?.baseline ?? []), ...one.baseline] });
  }
  return [...joined.values()];
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1] ?? 0, sorted[sorted.length >> 1] ?? 0];
  return (low + high) / 2;
}
