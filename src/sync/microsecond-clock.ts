// What time is it, to the microsecond?

/**
 * Milliseconds since 1970 with a fraction. The wall clock has whole milliseconds; the fraction is that of the process's
 * own clock, held within the millisecond that the wall clock shows, so that a clock that is set is followed at once.
 */
export function microsecondClock(wall = Date.now, own: () => number = () => performance.now()): () => number {
  let offset = 0;
  return () => {
    const millisecond = wall();
    const guess = own() + offset;
    const time = Math.min(Math.max(guess, millisecond), millisecond + 0.999);
    offset += time - guess;
    return time;
  };
}
