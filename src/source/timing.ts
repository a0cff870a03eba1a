// How do time and chance get into the talk with a server? Handed in, so that tests need not wait.

/** Milliseconds. */
export interface Timing {
  /** From any fixed moment; never goes back. */
  now(): number;
  /** Calls back once, so much later; the answer takes that back. */
  after(delay: number, callback: () => void): () => void;
  /** From 0 up to, not including, 1. */
  random(): number;
}

export const systemTiming: Timing = {
  now: () => performance.now(),
  after: (delay, callback) => {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};

/** Returns after so long, or as soon as the signal is aborted. */
export function pause(timing: Timing, delay: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = () => {
      cancel();
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const cancel = timing.after(delay, stop);
    signal.addEventListener("abort", stop);
  });
}
